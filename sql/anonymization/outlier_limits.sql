-- outlier_limits
-- The numbers of a column that lie some standard deviations below and above the mean.
--
-- definition: population standard deviation, from exact sums of numbers with 4 decimals
-- source: prices beyond the mean and 4 standard deviations (PWS Cup 2017)
-- missing: what is missing or no number is left out
-- portable: no
--
-- parameter source: relation, the records
-- parameter column: column, the numbers, or texts of them
-- parameter deviations: number, how many standard deviations
WITH numbers AS (
    SELECT TRY_CAST({{ column | identifier }} AS DECIMAL(14, 4)) AS number
    FROM {{ source | relation }} AS records
),
sums AS (
    SELECT
        COUNT(number) AS numbers
        , CAST(SUM(number) AS DOUBLE) AS total
        , CAST(SUM(number * number) AS DOUBLE) AS squares
    FROM numbers
),
spread AS (
    SELECT
        COALESCE(total / NULLIF(numbers, 0), 0) AS mean
        , COALESCE(SQRT(GREATEST(squares / NULLIF(numbers, 0) - POWER(total / NULLIF(numbers, 0), 2), 0)), 0) AS deviation
    FROM sums
)
SELECT
    mean - {{ deviations | literal }} * deviation AS lower
    , mean + {{ deviations | literal }} * deviation AS upper
FROM spread
