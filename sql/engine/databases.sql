-- databases
-- Attaches databases, lists their tables, and loads the extensions that this needs.
--
-- source: our own
-- runs: finish
--
-- parameter name: column, the extension
-- parameter database: text, the name it was attached under
-- parameter source: relation, the table

-- name: is_installed
-- Whether an extension of the engine is installed; loading it can still fail.
-- parameter name: text, the extension or another name of it
SELECT coalesce(bool_or(installed), FALSE) AS installed
FROM duckdb_extensions()
WHERE extension_name = {{ name | literal }} OR list_contains(aliases, {{ name | literal }})

-- name: install_extension
-- Installs an extension of the engine. This is printed for people and never run.
-- takes: name
INSTALL {{ name | identifier }}

-- name: load_extension
-- Loads an installed extension of the engine, only at the user's request.
-- takes: name
LOAD {{ name | identifier }}

-- name: attach
-- Attaches a database, read-only.
-- parameter address: text, a file or a connection string
-- parameter name: column, the name it gets
-- parameter kind: column or none, the kind of database where it is not DuckDB's own
ATTACH {{ address | literal }} AS {{ name | identifier }} (
    READ_ONLY{% if kind is not none %}, TYPE {{ kind | identifier }}{% endif %})

-- name: use_database
-- Makes an attached database the default for unqualified names.
-- parameter name: column, the database
USE {{ name | identifier }}

-- name: list_functions
-- The names of all functions, and whether an attached database defines one of them.
-- parameter databases: texts, the names they were attached under
SELECT function_name, bool_or(list_contains({{ databases | literal }}, database_name)) AS attached
FROM duckdb_functions()
GROUP BY function_name
ORDER BY function_name

-- name: list_tables
-- The tables and views of an attached database.
-- takes: database
SELECT table_schema, table_name, table_type = 'VIEW' AS is_view
FROM information_schema.tables
WHERE table_catalog = {{ database | literal }} AND table_schema NOT IN ('information_schema', 'pg_catalog')
ORDER BY table_schema, table_name

-- name: table_sizes
-- The tables and views of an attached DuckDB file, with about as many records as they have; NULL for a view.
-- takes: database
SELECT schema_name AS table_schema, table_name, estimated_size AS records, column_count AS columns
FROM duckdb_tables()
WHERE database_name = {{ database | literal }} AND NOT internal
UNION ALL
SELECT schema_name, view_name, NULL, column_count
FROM duckdb_views()
WHERE database_name = {{ database | literal }} AND NOT internal
ORDER BY table_schema, table_name

-- name: lake_files
-- The data files of a table of an attached DuckLake, and its delete files.
-- takes: database
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

-- name: sqlite_tables
-- The tables and views of an SQLite database, in SQLite's dialect.
SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name

-- name: sqlite_records
-- All records of an SQLite table, in SQLite's dialect.
-- takes: source
SELECT * FROM {{ source | relation }}

-- name: sqlite_classes
-- The types of the values in each column of an SQLite table, in SQLite's dialect: each value has its own type.
--
-- definition: the storage classes in use, and the number of integers that do not fit a DOUBLE
--
-- takes: source
-- parameter columns: columns, some of its columns
SELECT
{% for column in columns %}
    GROUP_CONCAT(DISTINCT TYPEOF({{ column | identifier }})),
    SUM(TYPEOF({{ column | identifier }}) = 'integer' AND {{ column | identifier }} NOT BETWEEN -9007199254740992
        AND 9007199254740992){{ loop | between }}
{% endfor %}
FROM {{ source | relation }}
