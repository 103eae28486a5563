-- list_functions
-- The names of all functions, and whether one of the attached databases brings one of that name.
--
-- portable: no
--
-- parameter databases: texts, the names they were attached under
SELECT function_name, bool_or(list_contains({{ databases | literal }}, database_name)) AS attached
FROM duckdb_functions()
GROUP BY function_name
ORDER BY function_name
