-- attach_release
-- Attaches the database that a release is written to.
--
-- portable: no
--
-- parameter path: text, the file
-- parameter name: column, the name it gets
-- parameter fresh: integer, 1 for a new file, which older versions of DuckDB can read
ATTACH {{ path | literal }} AS {{ name | identifier }} (TYPE duckdb{% if fresh %}, STORAGE_VERSION 'v1.4.0'{% endif %})
