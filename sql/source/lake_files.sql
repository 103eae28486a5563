-- lake_files
-- The files that the records of a table of an attached DuckLake are in, and those that say which are deleted.
--
-- portable: no
--
-- parameter database: text, the name it was attached under
-- parameter schema: text, the schema of the table
-- parameter table: text, the table
WITH listed AS (
    SELECT data_file, delete_file
    FROM ducklake_list_files({{ database | literal }}, {{ table | literal }}, schema => {{ schema | literal }})
)
SELECT data_file AS file FROM listed WHERE data_file IS NOT NULL
UNION
SELECT delete_file FROM listed WHERE delete_file IS NOT NULL
ORDER BY file
