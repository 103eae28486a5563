-- holdings
-- Tables whose rows are not one person each: counts of people, and rows that are sums of others.
--
-- idea: a table of counts has a column of whole numbers, and other columns of few values whose combinations occur once
-- source: our own
-- runs: finish
-- makes: counted_records
--
-- parameter source: relation, the records
-- parameter column: column, the counts
-- parameter totals: text, a regular expression of words that name a sum over a column, in lower case
-- parameter texts: columns, those where such a word can occur
-- parameter marks: text, a regular expression of texts that replace a hidden count, in lower case
-- parameter keys: columns, all columns but the counts: a row without a value in any of them is a sum as well
-- parameter number: expression, the count as a number

-- name: unique_cells
-- Number of records, of combinations of the other columns, and of small counts in a table of counts.
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
    (
        SELECT COUNT(*)
        FROM counts
        WHERE number IS NULL AND NOT REGEXP_FULL_MATCH(written, {{ marks | literal }})
    ) AS unreadable_cells,
    (
        SELECT COUNT(*)
        FROM (SELECT DISTINCT {{ columns | identifiers }} FROM {{ source | relation }})
    ) AS combinations

-- name: total_rows
-- Number of the rows that look like sums of others, by a word for a sum in one of the texts, and the first of them.
--
-- takes: source, totals, texts
-- parameter columns: columns, one of them without a value in such a row; an empty list requires none
SELECT COUNT(*) AS rows_found, MIN(number) AS first_row
FROM (
    SELECT *, ROW_NUMBER() OVER () AS number
    FROM {{ source | relation }}
)
WHERE (
{% for text in texts %}
    REGEXP_FULL_MATCH(TRIM(LOWER({{ text | identifier }})), {{ totals | literal }}){{ loop | between(" OR") }}

{% endfor %}
)
{% if columns %}
    AND ({{ columns | each("{x.identifier} IS NULL", between=" OR ") }})
{% endif %}

-- name: count_of_text
-- Count that is written as text, as a number; NULL if it is none.
-- parameter column: column, the counts
TRY_CAST(TRIM({{ column | identifier }}) AS DECIMAL(38, 6))

-- name: count_of_number
-- Count that is a number, as the type of counts.
-- parameter column: column, the counts
CAST({{ column | identifier }} AS DECIMAL(38, 6))

-- name: count_rows
-- Rows of a table of counts with people, without people, with a hidden or unreadable count, and sums of others.
--
-- takes: source, column, totals, texts, keys, number, marks
WITH opened AS (
    SELECT
        {{ number | expression }} AS number,
        TRIM(LOWER(CAST({{ column | identifier }} AS VARCHAR))) AS written,
{% for text in texts %}
        COALESCE(REGEXP_FULL_MATCH(TRIM(LOWER({{ text | identifier }})), {{ totals | literal }}), FALSE) OR
{% endfor %}
        ({{ keys | each("{x.identifier} IS NULL", between=" AND ") }}) AS is_total
    FROM {{ source | relation }}
)
SELECT
    COUNT(*) FILTER (WHERE number >= 1 AND NOT is_total) AS cells,
    CAST(COALESCE(SUM(number) FILTER (WHERE number >= 1 AND NOT is_total), 0) AS BIGINT) AS people,
    COUNT(*) FILTER (WHERE number = 0 AND NOT is_total) AS empty_cells,
    COUNT(*) FILTER (
        WHERE number IS NULL AND NOT is_total
            AND (written IS NULL OR REGEXP_FULL_MATCH(written, {{ marks | literal }}))
    ) AS hidden_cells,
    COUNT(*) FILTER (WHERE is_total) AS total_rows,
    COUNT(*) FILTER (
        WHERE NOT is_total
            AND (
                number < 0 OR number <> FLOOR(number)
                OR (
                    number IS NULL AND written IS NOT NULL
                    AND NOT REGEXP_FULL_MATCH(written, {{ marks | literal }})
                )
            )
    ) AS unreadable_cells
FROM opened

-- name: counted_records
-- Creates the table of the rows that have people, with the counts as whole numbers and without sums of others.
--
-- takes: source, column, totals, texts, keys, number
-- parameter names: columns, all columns
CREATE OR REPLACE TEMP TABLE counted_records AS
SELECT
{% for name in names %}
{% if name == column %}
    CAST({{ number | expression }} AS BIGINT) AS {{ name | identifier }}{{ loop | between }}

{% else %}
    {{ name | identifier }}{{ loop | between }}

{% endif %}
{% endfor %}
FROM {{ source | relation }}
WHERE {{ number | expression }} >= 1
{% for text in texts %}
    AND NOT COALESCE(REGEXP_FULL_MATCH(TRIM(LOWER({{ text | identifier }})), {{ totals | literal }}), FALSE)
{% endfor %}
    AND NOT ({{ keys | each("{x.identifier} IS NULL", between=" AND ") }})

-- name: people_of_counts
-- Query that makes a record of each person of a table of counts, on one line to be typed in a shell.
--
-- takes: source
-- parameter column: column, the counts
SELECT {{ source | relation }}.* EXCLUDE ({{ column | identifier }}) {# on one line, as people type it #}
FROM {{ source | relation }}, RANGE(CAST({{ column | identifier }} AS BIGINT))

-- name: counted_missing
-- Number of people without a value in each column of a table of counts.
--
-- takes: source, column
-- parameter columns: columns, all other columns
SELECT [
{% for name in columns %}
    CAST(
        COALESCE(SUM(CASE WHEN {{ name | identifier }} IS NULL THEN {{ column | identifier }} END), 0) AS BIGINT
    ){{ loop | between }}

{% endfor %}
] AS people
FROM {{ source | relation }}
