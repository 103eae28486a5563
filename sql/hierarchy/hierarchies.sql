-- hierarchies
-- Creates the table of a hierarchy: a row for each value, with its text and its label on each level.
--
-- source: value hierarchies in ARX's layout
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter height: integer, the levels above the value
-- parameter labels: column, the lines that were written
-- parameter leaves: column, the values of the column

-- name: make_leaves
-- Creates the table of the values of a column as texts, with the number of records of each.
-- takes: name, source
-- parameter column: column, whose values
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
    SELECT
        {{ column | identifier }} AS value
        , COUNT(*) AS cells
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY {{ column | identifier }}
)
SELECT
    CAST(value AS VARCHAR) AS value
    , CAST(SUM(cells) AS BIGINT) AS cells
FROM counted
GROUP BY CAST(value AS VARCHAR)

-- name: make_levels
-- Creates the table of a hierarchy with computed levels: a row for each value, with its text.
-- takes: name, source
-- parameter column: column, whose values are covered
-- parameter levels: expressions, one a level above the value, of the column value
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH leaves AS (
    SELECT DISTINCT {{ column | identifier }} AS value
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
)
SELECT DISTINCT
    CAST(value AS VARCHAR) AS level0
{% for level in levels %}
    , {{ level | expression }} AS level{{ loop.index }}
{% endfor %}
FROM leaves
ORDER BY level0

-- name: make_labels
-- Creates the empty table of a hierarchy from a file.
-- takes: name, height
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} (
    level0 VARCHAR
{% for level in range(1, height + 1) %}
    , level{{ level }} VARCHAR
{% endfor %}
)

-- name: add_labels
-- Appends lines of a file to the table of a hierarchy.
-- takes: name, height
-- parameter lines: texts, a list of texts a line: the value and its labels
INSERT INTO {{ name | identifier }}
SELECT line[1]
{% for level in range(1, height + 1) %}
    , line[{{ level + 1 }}]
{% endfor %}
FROM (SELECT UNNEST({{ lines | literal }}) AS line) AS written

-- name: join_labels
-- Creates the table of a hierarchy for the values of a column, from the lines of a file.
--
-- definition: a value without a line stays itself up to the root
--
-- takes: name, labels, leaves, height
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    leaves.value AS level0
{% for level in range(1, height) %}
    , COALESCE(labels.level{{ level }}, leaves.value) AS level{{ level }}
{% endfor %}
    , '*' AS level{{ height }}
FROM {{ leaves | identifier }} AS leaves
LEFT JOIN {{ labels | identifier }} AS labels ON labels.level0 = leaves.value
ORDER BY level0

-- name: count_unlisted
-- Counts the values of a column that a hierarchy has no line for.
--
-- takes: labels, leaves
SELECT
    COUNT(*) AS leaves
    , CAST(COALESCE(SUM(CASE WHEN labels.level0 IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT) AS unlisted
FROM {{ leaves | identifier }} AS leaves
LEFT JOIN {{ labels | identifier }} AS labels ON labels.level0 = leaves.value

-- name: count_leaves
-- Counts the values in the table of a hierarchy.
--
-- takes: name
SELECT COUNT(*) AS leaves
FROM {{ name | identifier }}
