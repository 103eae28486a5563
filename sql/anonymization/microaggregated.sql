-- microaggregated
-- Makes the table of the records with the numbers of one column replaced by the means of groups of near ones.
--
-- definition: the cells in the order of their values (then of their records) are cut into groups of k, the last
--   one with what is left over, so that every group has k to 2 k - 1 cells; each takes its group's mean,
--   rounded to the column's type
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
        , ROW_NUMBER() OVER (PARTITION BY {{ column | identifier }} IS NULL ORDER BY {{ column | identifier }}, record) - 1 AS place
        , COUNT({{ column | identifier }}) OVER () AS cells
    FROM {{ source | relation }} AS records
),
grouped AS (
    SELECT
        number
        , LEAST(place // {{ k | literal }}, cells // {{ k | literal }} - 1) AS part
    FROM ranked
    WHERE number IS NOT NULL
),
means AS (
    SELECT
        part
        , {{ mean | expression }} AS mean
    FROM grouped
    GROUP BY part
)
SELECT
    record
{% for each in columns %}
{% if each == column %}
    , CASE WHEN number IS NULL THEN {{ column | identifier }} ELSE {{ cell | expression }} END AS {{ column | identifier }}
{% else %}
    , {{ each | identifier }}
{% endif %}
{% endfor %}
FROM ranked
LEFT JOIN means ON number IS NOT NULL AND part = LEAST(place // {{ k | literal }}, cells // {{ k | literal }} - 1)
