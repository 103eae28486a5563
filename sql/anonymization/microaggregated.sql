-- microaggregated
-- Creates the table of the records with one numeric column replaced by the means of groups of similar values.
--
-- definition: the values, sorted with their record numbers, are split into groups of k; the last group takes the
--   remainder, so every group has k to 2 k - 1 values. Each value becomes the mean of its group, rounded to the
--   column's type. A moment that is not finite is left out of the mean; if no moment of a group is finite, each
--   becomes the smallest
-- source: univariate microaggregation with groups of fixed size (Domingo-Ferrer and Mateo-Sanz 2002)
-- missing: stays missing and is in no group
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter column: column, whose cells are replaced
-- parameter number: expression, the cell as a number
-- parameter mean: expression, the mean of the numbers of a group
-- parameter cell: expression, the mean as a value of the column
-- parameter k: integer, the size of a group
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranked AS (
    SELECT
        record
{% for each in columns %}
        , {{ each | identifier }}
{% endfor %}
        , {{ number | expression }} AS number
        , ROW_NUMBER() OVER (PARTITION BY {{ column | identifier }} IS NULL ORDER BY {{ column | identifier }}, record)
            - 1 AS place
        , COUNT({{ column | identifier }}) OVER () AS cells
    FROM {{ source | relation }} AS records
),
grouped AS (
    SELECT
        number
        , {{ column | identifier }} AS own
        , LEAST(place // {{ k | literal }}, cells // {{ k | literal }} - 1) AS part
    FROM ranked
    WHERE {{ column | identifier }} IS NOT NULL
),
means AS (
    SELECT
        part
        , {{ mean | expression }} AS mean
    FROM grouped
    WHERE number IS NOT NULL
    GROUP BY part
),
least AS (
    SELECT part, MIN(own) AS own
    FROM grouped
    GROUP BY part
    HAVING COUNT(number) = 0
)
SELECT
    record
{% for each in columns %}
{% if each == column %}
    , CASE
        WHEN {{ column | identifier }} IS NULL THEN {{ column | identifier }}
        WHEN mean IS NULL THEN least.own
        ELSE {{ cell | expression }}
    END AS {{ column | identifier }}
{% else %}
    , {{ each | identifier }}
{% endif %}
{% endfor %}
FROM ranked
LEFT JOIN means
    ON {{ column | identifier }} IS NOT NULL
        AND means.part = LEAST(place // {{ k | literal }}, cells // {{ k | literal }} - 1)
LEFT JOIN least
    ON {{ column | identifier }} IS NOT NULL
        AND least.part = LEAST(place // {{ k | literal }}, cells // {{ k | literal }} - 1)
