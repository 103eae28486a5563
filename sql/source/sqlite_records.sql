-- sqlite_records
-- All records of an SQLite table, in SQLite's own dialect.
--
-- portable: no
--
-- parameter source: relation, the table
SELECT * FROM {{ source | relation }}
