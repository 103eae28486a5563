-- engine
-- Statements about the engine itself and about any of duckrisk's tables.
--
-- source: our own
-- runs: finish
-- makes: results

-- name: engine_limits
-- The number of threads of the engine, and its memory limit as the engine writes it, such as 18.8 GiB.
SELECT current_setting('threads') AS threads, current_setting('memory_limit') AS memory

-- name: timezones
-- The names of the time zones that the engine knows.
SELECT name FROM pg_timezone_names() ORDER BY name

-- name: set_option
-- Sets one option of the engine.
-- parameter option: column, the option's name
-- parameter setting: text, its value
SET {{ option | identifier }} = {{ setting | literal }}

-- name: describe
-- Names and types of the columns of a relation.
-- parameter source: relation, the records
DESCRIBE SELECT * FROM {{ source | relation }}

-- name: row_counts
-- Counts the rows of several tables.
--
-- runs: wide
--
-- parameter tables: texts, their names
{% for table in tables %}
SELECT {{ loop.index0 }} AS position, COUNT(*) AS records FROM {{ table | identifier }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position

-- name: table_size
-- Counts the rows of a table.
--
-- parameter source: relation, the table
SELECT COUNT(*) AS found
FROM {{ source | relation }} AS made

-- name: kept_table
-- Copies a table, or stores a view as a table.
-- parameter name: column, the copy
-- parameter source: relation, the table or the view
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT * FROM {{ source | relation }} AS records

-- name: added_rows
-- Appends the rows of one table to another.
-- parameter table: column, the table that gets them
-- parameter source: relation, the rows
INSERT INTO {{ table | identifier }}
SELECT * FROM {{ source | relation }} AS added

-- name: stand_instead
-- Renames a table to the name of another table or view, which is dropped.
-- parameter table: column, the table
-- parameter name: column, its name from now on
-- parameter is_view: flag, a view has the name
DROP {% if is_view %}VIEW{% else %}TABLE IF EXISTS{% endif %} {{ name | identifier }};
ALTER TABLE {{ table | identifier }} RENAME TO {{ name | identifier }}

-- name: drop_table
-- Drops a table that is no longer needed.
--
-- runs: wide
--
-- parameter table: column, the table
DROP TABLE IF EXISTS {{ table | identifier }}

-- name: kept_result
-- Stores the result of a statement as a table, in the script of a run.
-- parameter name: column, the table
-- parameter statement: expression, the statement as it ran
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
{{ statement | expression }}

-- name: kept_results
-- Lists the tables with the results of a run's statements.
-- parameter tables: texts, the names of the tables
-- parameter statements: texts, the names of the statements, one a table
-- parameter attributes: texts, the attributes that they are about, one a table; empty where it is none
CREATE OR REPLACE TEMP TABLE results AS
SELECT
    UNNEST({{ tables | literal }}) AS table_name,
    UNNEST({{ statements | literal }}) AS statement,
    NULLIF(UNNEST({{ attributes | literal }}), '') AS attribute
