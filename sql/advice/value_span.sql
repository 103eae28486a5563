-- value_span
-- The 5th and the 95th percentile of a column.
--
-- missing: a record without a value is left out.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter column: column, of numbers
-- parameter counted: column or none, number of people that a record represents; none takes one
WITH opened AS (
    SELECT CAST({{ column | identifier }} AS DOUBLE)
        AS value{% if counted %}, {{ counted | identifier }} AS people{% endif %}

    FROM {{ source | relation }}
),
counted AS (
    SELECT value, {% if counted %}SUM(people){% else %}COUNT(*){% endif %} AS records
    FROM opened
    WHERE value IS NOT NULL
    GROUP BY value
),
summed AS (
    SELECT value, SUM(records) OVER (ORDER BY value) AS so_far, SUM(records) OVER () AS every_record
    FROM counted
)
SELECT
    MIN(CASE WHEN 20 * so_far >= every_record THEN value END) AS span_lower,
    MIN(CASE WHEN 20 * so_far >= 19 * every_record THEN value END) AS span_upper
FROM summed
