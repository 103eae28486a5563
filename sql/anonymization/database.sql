-- database
-- Writes the treated records as a table of a database, or leaves it as it was.
--
-- idea: the table is made in one transaction under a name of its own, and takes the place of the old one last; a MySQL
--   database has no such transaction, so there a table is made and renamed.
-- source: our own
-- runs: finish
--
-- parameter name: column, the name it gets
-- parameter database: text, the name it was attached under
-- parameter schema: text, the schema
-- parameter table: text, the table

-- name: attach_release
-- Attaches the database that a release is written to.
-- takes: name
-- parameter path: text, the file
-- parameter new_file: flag, create a new file that older versions of DuckDB can read
ATTACH {{ path | literal }} AS {{ name | identifier }} (
    TYPE duckdb{% if new_file %}, STORAGE_VERSION 'v1.4.0'{% endif %})

-- name: attach_to_write
-- Attaches the database that a release is written to, of a kind that an extension knows.
-- takes: name
-- parameter address: text, a file or a connection string
-- parameter kind: column, the kind of database
-- parameter data: text or none, the folder for the data files of a new DuckLake
ATTACH {{ address | literal }} AS {{ name | identifier }} (
    TYPE {{ kind | identifier }}{% if data is not none %}, DATA_PATH {{ data | literal }}{% endif %})

-- name: current_schema
-- The schema that names without one are looked up in.
SELECT CURRENT_SCHEMA() AS name

-- name: lake_folder
-- Says where the data files of a new DuckLake are from now on.
-- parameter metadata: relation, the table of what a lake keeps about itself
-- parameter folder: text, the folder
UPDATE {{ metadata | relation }} SET value = {{ folder | literal }} WHERE key = 'data_path'

-- name: release_tables
-- Whether a database has a table or a view of a name.
-- takes: schema
-- parameter database: text, the database
-- parameter table: text, the name
SELECT table_type AS kind
FROM information_schema.tables
WHERE table_catalog = {{ database | literal }} AND LOWER(table_schema) = LOWER({{ schema | literal }})
    AND LOWER(table_name) = LOWER({{ table | literal }})

-- name: begin_writing
-- Begins the transaction that a table is made in.
BEGIN TRANSACTION

-- name: drop_release
-- Removes the table that a release replaces.
--
-- parameter name: relation, the table
DROP TABLE {{ name | relation }}

-- name: create_release
-- Makes a table of the treated records in an attached database, in one transaction of its own.
--
-- definition: the order is that of a record of the source; an ORDER BY of its own would take a name for what people
--   call a column
--
-- parameter name: relation, the table
-- parameter replace: flag, replace a table of that name
-- parameter source: relation, the treated records
-- parameter columns: columns, of the records
-- parameter names: columns, what they are called
-- parameter order: expression or none, what the records are ordered by; none keeps the order they come in
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
-- Removes a table of a MySQL database, and refuses a view; the extension's own DROP forgets the schema.
-- takes: database, schema, table
CALL mysql_execute({{ database | literal }}, 'DROP TABLE `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`'
    || REPLACE({{ table | literal }}, '`', '``') || '`')

-- name: mysql_rename
-- Gives a table of a MySQL database another name.
-- takes: database, schema, table
-- parameter new: text, the name it gets
CALL mysql_execute({{ database | literal }}, 'RENAME TABLE `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`'
    || REPLACE({{ table | literal }}, '`', '``') || '` TO `' || REPLACE({{ schema | literal }}, '`', '``') || '`.`'
    || REPLACE({{ new | literal }}, '`', '``') || '`')

-- name: commit_writing
-- Ends the transaction that a table was made in.
COMMIT

-- name: undo_writing
-- Takes back the transaction that a table could not be made in.
ROLLBACK

-- name: checkpoint_release
-- Moves what was written to a database from its log to its file, which can fail although the table is there.
-- parameter name: column, the database
CHECKPOINT {{ name | identifier }}

-- name: detach_release
-- Lets go of the database that a release was written to, with all of it in its file.
-- parameter name: column, the database
DETACH {{ name | identifier }}
