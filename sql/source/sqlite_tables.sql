-- sqlite_tables
-- The tables and views of an SQLite database, in SQLite's own dialect.
--
-- portable: no
--
SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name
