-- shell_database
-- Writes a DuckDB database of macros, to attach in any DuckDB shell.
--
-- source: our own
-- runs: finish

-- name: create_shell_database
-- Attaches a new database under the name by which its macros call each other.
--
-- parameter path: text, the file
-- parameter name: column, the name
-- parameter version: text, the oldest version of DuckDB that reads the file
ATTACH {{ path | literal }} AS {{ name | identifier }} (STORAGE_VERSION {{ version | literal }})

-- name: create_macros
-- Creates all macros.
--
-- parameter statements: expression, the statements
{{ statements | expression }}

-- name: finish_shell_database
-- Writes the database.
--
-- parameter name: column, the name it was attached under
DETACH {{ name | identifier }}

-- name: list_macros
-- The macros with a line for each.
--
-- parameter names: texts, the name of each
-- parameter calls: texts, an example
-- parameter summaries: texts, what it returns
SELECT
    UNNEST({{ names | literal }}) AS macro,
    UNNEST({{ summaries | literal }}) AS what,
    UNNEST({{ calls | literal }}) AS example
