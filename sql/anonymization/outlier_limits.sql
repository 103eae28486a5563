-- outlier_limits
-- The numbers of a column that lie some standard deviations below and above the mean.
--
-- definition: population standard deviation, from exact sums of what each number is of the largest, to 12 digits; the
--   limits are wider by that rounding, so that a column of equal numbers has no outliers
-- source: prices beyond the mean and 4 standard deviations (PWS Cup 2017)
-- missing: what is missing or no finite number is left out
-- portable: no
--
-- parameter source: relation, the records
-- parameter column: column, the numbers, or texts of them
-- parameter deviations: number, how many standard deviations
WITH numbers AS (
    SELECT TRY_CAST({{ column | identifier }} AS DOUBLE) AS number
    FROM {{ source | relation }} AS records
),
largest AS (
    SELECT MAX(ABS(number)) AS size FROM numbers WHERE ISFINITE(number)
),
parts AS (
    SELECT CAST(numbers.number / NULLIF(largest.size, 0) AS DECIMAL(13, 12)) AS part
    FROM numbers CROSS JOIN largest
    WHERE ISFINITE(numbers.number)
),
sums AS (
    SELECT
        COUNT(part) AS numbers
        , CAST(SUM(part) AS DOUBLE) AS total
        , CAST(SUM(part * CAST(part AS DECIMAL(14, 12))) AS DOUBLE) AS squares
    FROM parts
),
spread AS (
    SELECT
        COALESCE(total / NULLIF(numbers, 0), 0) AS mean
        , COALESCE(SQRT(GREATEST(squares / NULLIF(numbers, 0) - POWER(total / NULLIF(numbers, 0), 2), 0)), 0) AS deviation
    FROM sums
)
SELECT
    COALESCE(largest.size, 0) * (spread.mean - {{ deviations | literal }} * spread.deviation - 1e-12) AS lower
    , COALESCE(largest.size, 0) * (spread.mean + {{ deviations | literal }} * spread.deviation + 1e-12) AS upper
FROM spread CROSS JOIN largest
