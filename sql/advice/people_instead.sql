-- people_instead
-- Lets a table stand under the name of another, which goes.
--
-- portable: no
--
-- parameter table: column, the table
-- parameter name: column, its name from now on
DROP TABLE IF EXISTS {{ name | identifier }};
ALTER TABLE {{ table | identifier }} RENAME TO {{ name | identifier }}
