-- prediction
-- The records that models learn a column from, as numbers, and the records of the original that they are tested on.
--
-- idea: the original's records are divided once, by a hash of their key or their place: 70 % to learn from, 30 % to be
--   tested on. Models learn from the original's 70 %, and from those of a release whose key or place falls on the same
--   side. Both are tested on the original's 30 %, so a release of corresponding records shows no model what it is
--   tested on. A cell becomes features as its reader takes it: a number is the middle of an interval, a category is
--   the share of each value that a set covers.
-- source: our own
-- runs: finish
-- makes: model_records
--
-- parameter cells: column, the values of the table with their coverage
-- parameter leaves: column, the numbered values of the original

-- name: target_values
-- The number of values that a column of the original has, without the missing one.
--
-- takes: leaves
SELECT COUNT(*) AS "values" FROM {{ leaves | identifier }} WHERE value IS NOT NULL AND records > 0

-- name: target_labels
-- What a model has to predict for each value of the target.
--
-- definition: of numbers that which a reader takes, of classes the number of the value
-- missing: left out; so are *, sets, and of classes all that covers several
--
-- takes: cells
-- parameter numbers: column or none, the numbers of the values; none for classes
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
{% if numbers is not none %}
SELECT value, part AS label
FROM {{ numbers | identifier }}
WHERE layer NOT IN ('all', 'set') AND part IS NOT NULL
{% else %}
SELECT value, CAST(first AS DOUBLE) AS label
FROM {{ cells | identifier }}
WHERE layer <> 'false' AND size = 1 AND value IS NOT NULL
{% endif %}

-- name: model_records
-- Draws the records of a table that a model learns from, or is tested on.
--
-- definition: a record is learned from if the hash of its key, or else of its place, has a remainder below 7 of 10. If
--   there are more than "most", those with the smallest hashes are drawn
-- missing: records without a label, or without a key, are left out
--
-- parameter source: relation, the table
-- parameter key: column or none, the column that identifies records; none takes their places
-- parameter target: column, the column to predict
-- parameter labels: column, what to predict for each of its values
-- parameter tested: flag, draw the records to test on
-- parameter most: integer, the most records that are drawn
-- parameter columns: columns, the categorical columns, then the numeric ones
-- parameter cells: texts, the table with the cells of each categorical column
-- parameter numbers: texts, the table with the numbers of the values of each numeric column
CREATE OR REPLACE TEMP TABLE model_records AS
WITH records AS (
    SELECT
        CAST({% if key %}{{ key | identifier }}{% else %}ROW_NUMBER() OVER (){% endif %} AS VARCHAR) AS record,
{% for column in columns %}
        {{ column | identifier }} AS v{{ loop.index0 }},
{% endfor %}
        {{ target | identifier }} AS target
    FROM {{ source | relation }}
),
hashed AS (
    SELECT records.*, labels.label, md5_number_lower(records.record) AS draw
    FROM records
    JOIN {{ labels | identifier }} AS labels ON labels.value = records.target
),
drawn AS (
    SELECT *
    FROM hashed
    WHERE draw % 10 {% if tested %}>= 7{% else %}< 7{% endif %}

    ORDER BY draw, record
    LIMIT {{ most | literal }}
)
SELECT
    ROW_NUMBER() OVER (ORDER BY drawn.draw, drawn.record) AS place,
{% for name in cells %}
    c{{ loop.index0 }}.cell AS cell{{ loop.index0 }},
{% endfor %}
{% for name in numbers %}
    n{{ loop.index0 }}.part AS part{{ loop.index0 }},
{% endfor %}
    drawn.label
FROM drawn
{% for name in cells %}
LEFT JOIN {{ name | identifier }} AS c{{ loop.index0 }}
    ON (c{{ loop.index0 }}.value IS NOT DISTINCT FROM drawn.v{{ loop.index0 }})
{% endfor %}
{% for name in numbers %}
{% set column = loop.index0 + (cells | length) %}
LEFT JOIN {{ name | identifier }} AS n{{ loop.index0 }}
    ON n{{ loop.index0 }}.value = drawn.v{{ column }} AND n{{ loop.index0 }}.layer <> 'all'
{% endfor %}

-- name: model_labels
-- The label of each record that was drawn, and the features of its numeric columns.
--
-- missing: a missing number and * are null
--
-- parameter numbers: integers, the places of the numeric columns
SELECT {% for number in numbers %}part{{ number }}, {% endfor %}label
FROM model_records
ORDER BY place

-- name: model_shares
-- The features of a categorical column of each record that was drawn: the share of each value in what its cell covers.
--
-- definition: features are the most frequent values of the original, and all others together; a missing value is one
--
-- takes: cells, leaves
-- parameter reach: column, the cells of each value, those of sets, labels and prefixes among them
-- parameter column: integer, the place of the categorical column
-- parameter most: integer, number of features
WITH ranked AS (
    SELECT code, LEAST(ROW_NUMBER() OVER (ORDER BY records DESC, code), {{ most | literal }}) - 1 AS feature
    FROM {{ leaves | identifier }}
),
used AS (
    SELECT DISTINCT cell{{ column }} AS cell FROM model_records
),
cells AS (
    SELECT cells.cell, cells.layer, cells.size, cells.first, cells.last
    FROM {{ cells | identifier }} AS cells
    SEMI JOIN used ON used.cell = cells.cell
),
covered AS (
    SELECT cells.cell, reach.code, cells.size
    FROM cells
    JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
    WHERE cells.layer <> 'all'
    UNION ALL
    SELECT cells.cell, ranked.code, cells.size
    FROM cells
    CROSS JOIN ranked
    WHERE cells.layer = 'all'
),
shares AS (
    SELECT covered.cell, ranked.feature, COUNT(*) / CAST(ANY_VALUE(covered.size) AS DOUBLE) AS share
    FROM covered
    JOIN ranked ON ranked.code = covered.code
    GROUP BY covered.cell, ranked.feature
)
SELECT records.place - 1 AS record, shares.feature, shares.share
FROM model_records AS records
JOIN shares ON shares.cell = records.cell{{ column }}
ORDER BY record, feature
