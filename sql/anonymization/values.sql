-- values
-- Lookup tables of treatments: the new value for each distinct value of a column, computed once.
--
-- source: our own; values that stand out: the contest of PWS Cup 2017
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values

-- name: cells_of_values
-- Creates the table of the new value for each distinct value of a column, computed once instead of per record.
-- takes: name, source, column
-- parameter key: expression, the key of the lookup: the value, or the day of a moment
-- parameter cell: expression, the new value
-- parameter changed: expression or none, whether it is another text; none where all are
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH keyed AS (
    SELECT {{ key | expression }} AS {{ column | identifier }}
    FROM {{ source | relation }} AS records
    WHERE records.{{ column | identifier }} IS NOT NULL
),
counted AS (
    SELECT
        {{ column | identifier }}
        , COUNT(*) AS cells
    FROM keyed
    GROUP BY {{ column | identifier }}
)
SELECT
    {{ column | identifier }} AS number
    , {{ cell | expression }} AS value
    , CASE WHEN {% if changed is not none %}{{ changed | expression }}{% else %}TRUE{% endif %} THEN cells
        ELSE 0 END AS changed
FROM counted

-- name: sum_changed
-- Counts the distinct values of a lookup table and the records whose value changes.
--
-- parameter source: relation, the values
SELECT
    COUNT(*) AS found
    , CAST(COALESCE(SUM(changed), 0) AS BIGINT) AS changed
FROM {{ source | relation }} AS cells

-- name: count_relabelled
-- Counts the values of a column and those that a level of a hierarchy changes.
--
-- parameter levels: relation, the table of the hierarchy
-- parameter leaves: relation, the values of the column with the number of records of each
-- parameter cell: expression, the level
SELECT
    CAST(COALESCE(SUM(leaves.cells), 0) AS BIGINT) AS cells
    , CAST(COALESCE(SUM(CASE WHEN {{ cell | expression }} <> levels.level0 THEN leaves.cells ELSE 0 END), 0) AS BIGINT)
        AS changed
FROM {{ leaves | relation }} AS leaves
INNER JOIN {{ levels | relation }} AS levels ON levels.level0 = leaves.value

-- name: limit_fits
-- Whether a limit can be cast to a type without rounding.
-- parameter limit: text, the limit
-- parameter kind: expression, the type
SELECT COALESCE(TRY_CAST(CAST(TRY_CAST({{ limit | literal }} AS {{ kind | expression }}) AS VARCHAR) AS DOUBLE)
    = TRY_CAST({{ limit | literal }} AS DOUBLE), FALSE) AS fits

-- name: rare_values
-- Creates the table of the values of a column that are rare: in one record only, or of few users.
--
-- definition: values of a single record, and values of fewer different users than a limit
-- source: idiosyncratic descriptions, as the contest of 2017 reads article 34 (formerly 19) of the enforcement rules
-- missing: a missing value is none; missing users are not counted
--
-- takes: name, source, column
-- parameter user: column or none, the users; none looks at the records alone
-- parameter users: integer, fewer users than these are few
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {{ column | identifier }} AS value
FROM {{ source | relation }} AS records
WHERE {{ column | identifier }} IS NOT NULL
GROUP BY {{ column | identifier }}
HAVING COUNT(*) = 1{% if user is not none %} OR COUNT(DISTINCT {{ user | identifier }}) < {{ users }}{% endif %}

-- name: count_distinct
-- The number of distinct values of a column.
--
-- missing: a missing value is no value
--
-- parameter source: relation, the records
-- parameter column: column, the values
SELECT COUNT(DISTINCT {{ column | identifier }}) AS found FROM {{ source | relation }}

-- name: outlier_limits
-- The mean of a column, some standard deviations below and above it.
--
-- definition: population standard deviation, from exact sums of numbers relative to the largest one, rounded to 12
--   digits. The limits are widened by this rounding, so a constant column has no outliers
-- source: prices beyond the mean and 4 standard deviations (PWS Cup 2017)
-- missing: values that are missing or not finite are left out
--
-- takes: source
-- parameter column: column, the numbers, or texts of them
-- parameter deviations: number, number of standard deviations
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
        total / numbers AS mean
        , SQRT(GREATEST(squares / numbers - POWER(total / numbers, 2), 0)) AS deviation
    FROM sums
)
SELECT
    COALESCE(largest.size * (spread.mean - {{ deviations | literal }} * spread.deviation - 1e-12), 0) AS lower
    , COALESCE(largest.size * (spread.mean + {{ deviations | literal }} * spread.deviation + 1e-12), 0) AS upper
FROM spread CROSS JOIN largest
