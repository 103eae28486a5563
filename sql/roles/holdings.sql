-- holdings
-- What the rows of a table stand for where it is not one person each: counts of people, or sums of other rows.
--
-- idea: a column of counts is a whole number beside columns of few values that occur in each combination once
-- source: our own
-- runs: finish
-- makes: counted_records
--
-- parameter source: relation, the records
-- parameter column: column, the counts
-- parameter totals: text, a regular expression of words that say a sum over a column, in lower case
-- parameter texts: columns, those where such a word can stand
-- parameter marks: text, a regular expression of texts that stand for a hidden count, in lower case
-- parameter keys: columns, all columns but the counts: a row that lacks a value of each is a sum as well
-- parameter number: expression, the count as a number

-- name: unique_cells
-- How many records a table of counts has, how many combinations of its other columns, and how many small counts.
--
-- takes: source, column, number, marks
-- parameter columns: columns, all other columns
-- parameter small: integer, a count from 1 to below this is small
WITH counts AS (
    SELECT {{ number | expression }} AS number, TRIM(LOWER(CAST({{ column | identifier }} AS VARCHAR))) AS written
    FROM {{ source | relation }}
)
SELECT
    (SELECT COUNT(*) FROM counts) AS cells,
    (SELECT COUNT(*) FROM counts WHERE number >= 1 AND number < {{ small | literal }}) AS small_cells,
    (SELECT COUNT(*) FROM counts WHERE number >= 0) AS readable_cells,
    (SELECT COUNT(*) FROM counts WHERE number IS NULL AND NOT REGEXP_FULL_MATCH(written, {{ marks | literal }})) AS unreadable_cells,
    (SELECT COUNT(*) FROM (SELECT DISTINCT {% for name in columns %}{{ name | identifier }}{% if not loop.last %}, {% endif %}{% endfor %} FROM {{ source | relation }})) AS combinations

-- name: total_rows
-- The rows that look like sums of others: a word for a sum stands in one of the texts.
--
-- takes: source, totals, texts
-- parameter columns: columns, those of which such a row lacks one; none asks for none
SELECT COUNT(*) AS rows_found, MIN(number) AS first_row
FROM (
    SELECT *, ROW_NUMBER() OVER () AS number
    FROM {{ source | relation }}
)
WHERE ({% for text in texts %}REGEXP_FULL_MATCH(TRIM(LOWER({{ text | identifier }})), {{ totals | literal }}){% if not loop.last %} OR {% endif %}{% endfor %})
{% if columns %}
    AND ({% for name in columns %}{{ name | identifier }} IS NULL{% if not loop.last %} OR {% endif %}{% endfor %})
{% endif %}

-- name: count_of_text
-- A count that is written as text: NULL for what is no number.
-- parameter column: column, the counts
TRY_CAST(TRIM({{ column | identifier }}) AS DECIMAL(38, 6))

-- name: count_of_number
-- A count that is a number.
-- parameter column: column, the counts
CAST({{ column | identifier }} AS DECIMAL(38, 6))

-- name: count_rows
-- How many rows of a table of counts have people, how many none, and which counts are hidden or cannot be read.
--
-- takes: source, column, totals, texts, keys, number, marks
WITH opened AS (
    SELECT
        {{ number | expression }} AS number,
        TRIM(LOWER(CAST({{ column | identifier }} AS VARCHAR))) AS written,
        {% for text in texts %}COALESCE(REGEXP_FULL_MATCH(TRIM(LOWER({{ text | identifier }})), {{ totals | literal }}), FALSE) OR {% endfor %}({% for key in keys %}{{ key | identifier }} IS NULL{% if not loop.last %} AND {% endif %}{% endfor %}) AS is_total
    FROM {{ source | relation }}
)
SELECT
    COUNT(*) FILTER (WHERE number >= 1 AND NOT is_total) AS cells,
    CAST(COALESCE(SUM(number) FILTER (WHERE number >= 1 AND NOT is_total), 0) AS BIGINT) AS people,
    COUNT(*) FILTER (WHERE number = 0 AND NOT is_total) AS empty_cells,
    COUNT(*) FILTER (WHERE number IS NULL AND NOT is_total AND (written IS NULL OR REGEXP_FULL_MATCH(written, {{ marks | literal }}))) AS hidden_cells,
    COUNT(*) FILTER (WHERE is_total) AS total_rows,
    COUNT(*) FILTER (WHERE NOT is_total AND (number < 0 OR number <> FLOOR(number) OR (number IS NULL AND written IS NOT NULL AND NOT REGEXP_FULL_MATCH(written, {{ marks | literal }})))) AS unreadable_cells
FROM opened

-- name: counted_records
-- Keeps the rows of a table of counts that have people, the counts as whole numbers; sums of others are left out.
--
-- takes: source, column, totals, texts, keys, number
-- parameter names: columns, all columns
CREATE OR REPLACE TEMP TABLE counted_records AS
SELECT {% for name in names %}{% if name == column %}CAST({{ number | expression }} AS BIGINT) AS {{ name | identifier }}{% else %}{{ name | identifier }}{% endif %}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }}
WHERE {{ number | expression }} >= 1
{% for text in texts %}
    AND NOT COALESCE(REGEXP_FULL_MATCH(TRIM(LOWER({{ text | identifier }})), {{ totals | literal }}), FALSE)
{% endfor %}
    AND NOT ({% for key in keys %}{{ key | identifier }} IS NULL{% if not loop.last %} AND {% endif %}{% endfor %})

-- name: people_of_counts
-- The people that the rows of a table of counts stand for, a record each, as a query that people can type.
--
-- takes: source
-- parameter column: column, the counts
SELECT {{ source | relation }}.* EXCLUDE ({{ column | identifier }}) FROM {{ source | relation }}, RANGE(CAST({{ column | identifier }} AS BIGINT))

-- name: counted_missing
-- How many people lack a value of each column of a table of counts.
--
-- takes: source, column
-- parameter columns: columns, all other columns
SELECT [{% for name in columns %}CAST(COALESCE(SUM(CASE WHEN {{ name | identifier }} IS NULL THEN {{ column | identifier }} END), 0) AS BIGINT){% if not loop.last %}, {% endif %}{% endfor %}] AS people
FROM {{ source | relation }}
