-- value_span
-- Between which numbers nearly all records lie: how wide bands have to be to stay few and of use.
--
-- definition: the least numbers that at least one record in 20, and 19 in 20, do not exceed
-- source: duckrisk
-- missing: a record without a value is left out.
-- read: outliers do not stretch it, and neither do many values that lie close together.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter column: column, of numbers
--
-- column span_lower: DOUBLE, value, the lower end; NULL where there is no value
-- column span_upper: DOUBLE, value, the upper end; NULL where there is no value
WITH opened AS (
    SELECT CAST({{ column | identifier }} AS DOUBLE) AS value
    FROM {{ source | relation }}
),
counted AS (
    SELECT value, COUNT(*) AS records
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
