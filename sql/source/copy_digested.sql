-- copy_digested
-- Reads a relation once into a private Parquet file, in its order.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter path: text, the file
COPY (SELECT * FROM {{ source | relation }}) TO {{ path | literal }} (FORMAT parquet, USE_TMP_FILE false, PRESERVE_ORDER true)
