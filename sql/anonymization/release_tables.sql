-- release_tables
-- Whether a database has a table or a view of a name.
--
-- portable: no
--
-- parameter database: text, the database
-- parameter schema: text, the schema
-- parameter table: text, the name
SELECT table_type AS kind
FROM information_schema.tables
WHERE table_catalog = {{ database | literal }} AND LOWER(table_schema) = LOWER({{ schema | literal }}) AND LOWER(table_name) = LOWER({{ table | literal }})
