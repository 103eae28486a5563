-- class_thresholds
-- How many records are in classes below each of some sizes.
--
-- definition: a size is compared with a size, never a risk with a threshold: 1 / 11 is above 0.09
-- portable: yes
--
-- parameter sizes: relation, class sizes with their records
-- parameter column: column, the size that is compared
-- parameter thresholds: integers, the sizes
WITH given AS (
    SELECT {{ column | identifier }} AS class_size, records
    FROM {{ sizes | relation }}
)
SELECT
    threshold,
    CAST(COALESCE(SUM(CASE WHEN class_size < threshold THEN records ELSE 0 END), 0) AS BIGINT) AS records,
    CAST(SUM(CASE WHEN class_size < threshold THEN records ELSE 0 END) AS DOUBLE) / CAST(NULLIF(SUM(records), 0) AS DOUBLE) AS share
FROM (SELECT UNNEST({{ thresholds | literal }}) AS threshold) AS wanted
LEFT JOIN given ON TRUE
GROUP BY threshold
ORDER BY threshold
