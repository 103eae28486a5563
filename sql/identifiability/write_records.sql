-- write_records
-- Writes the table of all records with their ease and value into a private Parquet file.
--
-- portable: no
--
-- parameter records: relation, the records with their ease and value
-- parameter path: text, the file
COPY (
    SELECT record, singled_out, ease, value, jo_value, attributes, also
    FROM ({{ records | relation }}) AS outcome
    ORDER BY record
) TO {{ path | literal }} (FORMAT parquet, COMPRESSION zstd)
