-- state_records
-- Makes a table of those that a state holds.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter place: integer, which of them
-- parameter columns: columns, of its records
-- parameter path: text, the file
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT record, draw, origin{% for column in columns %}, {{ column | identifier }}{% endfor %}

FROM READ_PARQUET({{ path | literal }})
WHERE place = {{ place }}
