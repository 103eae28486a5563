-- list_functions
-- The names of all functions, and whether an attached database brings one of that name.
--
-- portable: no
--
-- parameter database: text, the name it was attached under
SELECT function_name, bool_or(database_name = {{ database | literal }}) AS attached
FROM duckdb_functions()
GROUP BY function_name
ORDER BY function_name
