-- copy_records
-- Reads a relation once into a private Parquet file.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter selected: expression, what to write of them
-- parameter path: text, the file
COPY (
    SELECT {{ selected | expression }}
    FROM {{ source | relation }}
) TO {{ path | literal }} (FORMAT parquet, USE_TMP_FILE false)
