-- database
-- Writes the treated records as a table of a database. If anything fails, the database stays as it was.
--
-- idea: a transaction creates the table under a temporary name and then renames it to replace the old one. MySQL has
--   no such transaction, so a table is created and renamed there.
-- source: our own
-- runs: finish
--
-- parameter name: column, the name it gets
-- parameter database: text, the name it was attached under
-- parameter schema: text, the schema
-- parameter table: text, the table

-- name: attach_release
-- Attaches the DuckDB file that a release is written to.
-- takes: name
-- parameter path: text, the file
-- parameter new_file: flag, create a new file that older versions of DuckDB can read
ATTACH {{ path | literal }} AS {{ name | identifier }} (
    TYPE duckdb{% if new_file %}, STORAGE_VERSION 'v1.4.0'{% endif %})

-- name: attach_to_write
-- Attaches the database that a release is written to, through an extension.
-- takes: name
-- parameter address: text, a file or a connection string
-- parameter kind: column, the kind of database
-- parameter data: text or none, the folder for the data files of a new DuckLake
ATTACH {{ address | literal }} AS {{ name | identifier }} (
    TYPE {{ kind | identifier }}{% if data is not none %}, DATA_PATH {{ data | literal }}{% endif %})

-- name: current_schema
-- The schema in which unqualified names are looked up.
SELECT CURRENT_SCHEMA() AS name

-- name: lake_folder
-- Sets the path of the data files of a new DuckLake.
-- parameter metadata: relation, the metadata table of the lake
-- parameter folder: text, the folder
UPDATE {{ metadata | relation }} SET value = {{ folder | literal }} WHERE key = 'data_path'

-- name: release_tables
-- Whether a database has a table or view of this name.
-- takes: schema
-- parameter database: text, the database
-- parameter table: text, the name
SELECT table_type AS kind
FROM information_schema.tables
WHERE table_catalog = {{ database | literal }} AND LOWER(table_schema) = LOWER({{ schema | literal }})
    AND LOWER(table_name) = LOWER({{ table | literal }})

-- name: begin_writing
-- Begins the transaction that creates a table.
BEGIN TRANSACTION

-- name: drop_release
-- Drops the table that a release replaces.
--
-- parameter name: relation, the table
DROP TABLE {{ name | relation }}

-- name: create_release
-- Creates a table of the treated records in an attached database, in a transaction of its own.
--
-- definition: the order is that of the source's records. An ORDER BY here would resolve names to the renamed columns.
--
-- parameter name: relation, the table
-- parameter replace: flag, replace a table of that name
-- parameter source: relation, the treated records
-- parameter columns: columns, of the records
-- parameter names: columns, their names in the release
-- parameter order: expression or none, sort key of the records; none keeps their order
CREATE {% if replace %}OR REPLACE {% endif %}TABLE {{ name | relation }} AS
SELECT
{% for column in columns %}
    {{ column | identifier }} AS {{ names[loop.index0] | identifier }}{{ loop | between }}
{% endfor %}
{% if order is not none %}
FROM (SELECT {% for column in columns %}{{ column | identifier }}, {% endfor %}{{ order | expression }} AS in_order
    FROM {{ source | relation }} AS records) AS treated
ORDER BY treated.in_order
{% else %}
FROM {{ source | relation }} AS treated
{% endif %}

-- name: mysql_drop
-- Drops a table of a MySQL database and refuses a view. The extension's own DROP loses track of the schema.
-- takes: database, schema, table
CALL mysql_execute({{ database | literal }}, 'DROP TABLE `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`'
    || REPLACE({{ table | literal }}, '`', '``') || '`')

-- name: mysql_rename
-- Renames a table of a MySQL database.
-- takes: database, schema, table
-- parameter new: text, the name it gets
CALL mysql_execute({{ database | literal }}, 'RENAME TABLE `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`'
    || REPLACE({{ table | literal }}, '`', '``') || '` TO `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`'
    || REPLACE({{ new | literal }}, '`', '``') || '`')

-- name: commit_writing
-- Commits the transaction that created a table.
COMMIT

-- name: undo_writing
-- Rolls back the transaction of a table that could not be created.
ROLLBACK

-- name: checkpoint_release
-- Writes the log of a database into its file; this can fail although the table exists.
-- parameter name: column, the database
CHECKPOINT {{ name | identifier }}

-- name: detach_release
-- Detaches the database of a release after all of it is in its file.
-- parameter name: column, the database
DETACH {{ name | identifier }}
