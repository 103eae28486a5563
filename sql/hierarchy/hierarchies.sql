-- hierarchies
-- Makes the table of a hierarchy: a row a value, its text first, then its label on each level.
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
-- Makes the table of the values of a column as texts, with how many cells each has.
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
-- Makes the table of a hierarchy whose levels are computed: a row a value, its text first.
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
-- Makes the empty table of a hierarchy that somebody wrote down.
-- takes: name, height
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} (
    level0 VARCHAR
{% for level in range(1, height + 1) %}
    , level{{ level }} VARCHAR
{% endfor %}
)

-- name: add_labels
-- Adds lines to the table of a hierarchy that somebody wrote down.
-- takes: name, height
-- parameter lines: texts, a list of texts a line: the value and its labels
INSERT INTO {{ name | identifier }}
SELECT line[1]
{% for level in range(1, height + 1) %}
    , line[{{ level + 1 }}]
{% endfor %}
FROM (SELECT UNNEST({{ lines | literal }}) AS line) AS written

-- name: join_labels
-- Makes the table of a hierarchy for the values of a column from the lines that somebody wrote down.
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
-- How many values of a column somebody's hierarchy has no line for.
--
-- takes: labels, leaves
SELECT
    COUNT(*) AS leaves
    , CAST(COALESCE(SUM(CASE WHEN labels.level0 IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT) AS unlisted
FROM {{ leaves | identifier }} AS leaves
LEFT JOIN {{ labels | identifier }} AS labels ON labels.level0 = leaves.value

-- name: count_leaves
-- How many values the table of a hierarchy covers.
--
-- takes: name
SELECT COUNT(*) AS leaves
FROM {{ name | identifier }}
