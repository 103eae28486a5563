-- is_installed
-- Whether an extension of the engine is installed; it may fail to load all the same.
--
-- portable: no
--
-- parameter name: text, the extension or another name of it
SELECT coalesce(bool_or(installed), FALSE) AS installed
FROM duckdb_extensions()
WHERE extension_name = {{ name | literal }} OR list_contains(aliases, {{ name | literal }})
