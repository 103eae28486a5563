-- list_tables
-- The tables and views of an attached database.
--
-- portable: no
--
-- parameter database: text, the name it was attached under
SELECT table_schema, table_name, table_type = 'VIEW' AS is_view
FROM information_schema.tables
WHERE table_catalog = {{ database | literal }} AND table_schema NOT IN ('information_schema', 'pg_catalog')
ORDER BY table_schema, table_name
