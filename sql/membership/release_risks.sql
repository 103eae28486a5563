-- release_risks
-- The risk of a release: attacks on the people in it against attacks on people who are not.
--
-- source: Giomi, Boenisch, Wehmeyer and Tasnadi, Anonymeter, PETS 2023
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter columns: columns, the codes
-- parameter original: relation, the records of the original with codes
-- parameter other_records: relation, those of the other table
-- parameter z: number, the quantile of the normal distribution, 1.96 for 95 percent

-- name: risk_rows
-- Creates the table of the records of one source: numbers unchanged, all else as text, in the source's order.
--
-- definition: record is the index in the source, from 0
-- missing: numbers that are not finite are missing; missing values stay
--
-- takes: name, source
-- parameter columns: columns, the attributes
-- parameter numeric: integers, the indexes of numeric columns
-- parameter largest: number, no number is further from 0
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER () - 1 AS record
{% for column in columns %}
{% if loop.index0 in numeric %}
    , CASE WHEN ABS(CAST({{ column | identifier }} AS DOUBLE)) <= {{ largest | literal }}
        THEN {{ column | identifier }} END AS v{{ loop.index0 }}
{% else %}
    , CAST({{ column | identifier }} AS VARCHAR) AS v{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: risk_values
-- Creates the table of the values of one attribute in all tables, numbered from 1 in their order.
--
-- definition: numbers also as doubles, and scaled: their distance from the least in whole parts of the range, rounded
-- missing: no missing value is listed
--
-- takes: name
-- parameter tables: texts, the tables of records
-- parameter column: column, the attribute
-- parameter unit: integer or none, number of parts of a range; none for a category
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for table in tables %}
{% if not loop.first %}
    UNION
{% endif %}
    SELECT {{ column | identifier }} AS value FROM {{ table | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
{% endfor %}
)
{% if unit is none %}
SELECT value, CAST(ROW_NUMBER() OVER (ORDER BY value) AS INTEGER) AS code
FROM found
{% else %}
, numbers AS (
    SELECT
        value,
        CAST(value AS DOUBLE) AS number,
        MIN(CAST(value AS DOUBLE)) OVER () AS least,
        MAX(CAST(value AS DOUBLE)) OVER () AS most
    FROM found
)
SELECT
    value,
    CAST(ROW_NUMBER() OVER (ORDER BY value) AS INTEGER) AS code,
    number,
    CASE WHEN most > least
        THEN CAST(ROUND((number / 2 - least / 2) / (most / 2 - least / 2) * {{ unit | literal }}) AS BIGINT)
        ELSE 0 END AS scaled
FROM numbers
{% endif %}

-- name: risk_coded
-- Creates the table of records with the code of each value.
--
-- missing: a missing value is 0
--
-- takes: name, source
-- parameter tables: texts, the values of each attribute
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for table in tables %}
    , COALESCE(values{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS records
{% for table in tables %}
LEFT JOIN {{ table | relation }} AS values{{ loop.index0 }}
    ON values{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}

-- name: code_ranges
-- The number of values of each attribute in all tables, and whether one is missing.
--
-- missing: the code 0
--
-- takes: columns
-- parameter tables: texts, the records with codes
WITH ranges AS (
{% for table in tables %}
{% set first = loop.first %}
{% for column in columns %}
{% if not (first and loop.first) %}
    UNION ALL
{% endif %}
    SELECT {{ loop.index0 }} AS place, MIN({{ column | identifier }}) AS least, MAX({{ column | identifier }}) AS most
    FROM {{ table | relation }} AS records
{% endfor %}
{% endfor %}
)
SELECT place, COALESCE(MIN(least) = 0, TRUE) AS gaps, CAST(COALESCE(MAX(most), 0) AS BIGINT) AS codes
FROM ranges
GROUP BY place
ORDER BY place

-- name: shared_values
-- The number of records of a table with a value that occurs in the original, for each category.
--
-- missing: a missing value counts as one
--
-- takes: original, other_records
-- parameter columns: columns, the codes of categories
{% for column in columns %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 }} AS number,
    (SELECT COUNT(DISTINCT {{ column | identifier }}) FROM {{ original | relation }} AS original) AS known,
    COUNT(*) AS shared
FROM {{ other_records | relation }} AS other
WHERE {{ column | identifier }} IN (SELECT {{ column | identifier }} FROM {{ original | relation }} AS original)
{% endfor %}
ORDER BY number

-- name: shared_records
-- The number of records of a table that equal a record of the original.
--
-- missing: missing values are equal
--
-- takes: original, other_records, columns
SELECT COUNT(*) AS shared
FROM {{ other_records | relation }} AS other
WHERE EXISTS (
    SELECT 1 FROM {{ original | relation }} AS original
    WHERE {% for column in columns %}{% if not loop.first %} AND {% endif %}original.{{ column | identifier }}
        = other.{{ column | identifier }}{% endfor %}

)

-- name: wilson_interval
-- The Wilson interval of a share.
--
-- definition: rate = (s + z^2 / 2) / (n + z^2), half width z / (n + z^2) sqrt(s (n - s) / n + z^2 / 4)
-- source: Wilson, Probable inference, 1927; Anonymeter
-- missing: from 0 to 1 without any trial
--
-- takes: z
-- parameter successes: integer, of the trials
-- parameter trials: integer, all of them
WITH numbers AS (
    SELECT
        CAST({{ successes }} AS DOUBLE) AS s,
        CAST({{ trials }} AS DOUBLE) AS n,
        CAST({{ z | literal }} AS DOUBLE) AS z
),
parts AS (
    SELECT
        (s + z * z / 2) / NULLIF(n + z * z, 0) AS rate,
        z / NULLIF(n + z * z, 0) * SQRT(COALESCE(s * (n - s) / NULLIF(n, 0), 0) + z * z / 4) AS half
    FROM numbers
)
SELECT COALESCE(rate, 0.5) AS rate, GREATEST(0, COALESCE(rate - half, 0)) AS lower,
    LEAST(1, COALESCE(rate + half, 1)) AS upper
FROM parts

-- name: attack_rate
-- The success rate of an attack: Wilson's estimate with its error, and the interval of both.
--
-- definition: share = s / n; rate = (s + z^2 / 2) / (n + z^2); error = z / (n + z^2) sqrt(s (n - s) / n + z^2 / 4);
--   the interval is rate - error to rate + error, within 0 and 1
-- source: Wilson, Probable inference, 1927; Anonymeter
-- missing: no value (NULL) where no attack was made
--
-- takes: z
-- parameter successes: number, of the attacks; expected ones need not be whole
-- parameter attacks: integer, number of attacks
WITH given AS (
    SELECT
        LEAST(CAST({{ successes | literal }} AS DOUBLE), CAST({{ attacks }} AS DOUBLE)) AS s,
        NULLIF(CAST({{ attacks }} AS DOUBLE), 0) AS n,
        CAST({{ z | literal }} AS DOUBLE) AS z
),
rates AS (
    SELECT
        s / n AS share,
        (s + z * z / 2) / (n + z * z) AS rate,
        z / (n + z * z) * SQRT(s * (n - s) / n + z * z / 4) AS error
    FROM given
)
SELECT
    share,
    rate,
    error,
    CASE WHEN rate IS NOT NULL THEN GREATEST(0, rate - error) END AS lower,
    CASE WHEN rate IS NOT NULL THEN LEAST(1, rate + error) END AS upper
FROM rates

-- name: beats_baseline
-- The advantage of an attack over the naive attack, and whether it exceeds the error.
--
-- definition: excess = rate - naive rate; excess error = sqrt(error^2 + naive error^2); clear is an attack whose
--   excess is above its error; void is one whose excess is not above 0
-- source: Giomi et al., PETS 2023, who call an attack weaker than the naive one meaningless; the error of the excess
--   is our own
-- missing: void, where no attack was made
-- read: an attack that is not clear is inconclusive. Rates alone rank attacks wrongly: guessing one of two values is
--   right in half of all attacks
--
-- parameter rate: number or none, how often the attack succeeds; no number without attacks
-- parameter error: number or none, of that rate
-- parameter naive_rate: number or none, how often the naive attack does
-- parameter naive_error: number or none, of that rate
WITH given AS (
    SELECT
        CAST({{ rate | literal }} AS DOUBLE) AS rate,
        CAST({{ error | literal }} AS DOUBLE) AS error,
        CAST({{ naive_rate | literal }} AS DOUBLE) AS naive_rate,
        CAST({{ naive_error | literal }} AS DOUBLE) AS naive_error
),
differences AS (
    SELECT rate - naive_rate AS excess, SQRT(error * error + naive_error * naive_error) AS excess_error
    FROM given
)
SELECT
    excess,
    excess_error,
    COALESCE(excess <= 0, TRUE) AS void,
    COALESCE(excess > excess_error, FALSE) AS clear
FROM differences

-- name: residual_risk
-- The risk of a release: the excess success of attacks on its people over attacks on a control group.
--
-- definition: risk = (rate - control rate) / (1 - control rate), its error by propagation sqrt((error / (1 - control
--   rate))^2 + (control error (rate - 1) / (1 - control rate)^2)^2); risk and interval within 0 and 1
-- source: Giomi, Boenisch, Wehmeyer and Tasnadi, A unified framework for quantifying privacy risk in synthetic data,
--   PETS 2023
-- missing: no value (NULL) where the control set is found without exception
--
-- parameter rate: number, how often the attack succeeds
-- parameter error: number, of that rate
-- parameter control_rate: number, how often it does against the control set
-- parameter control_error: number, of that rate
WITH given AS (
    SELECT
        CAST({{ rate | literal }} AS DOUBLE) AS rate,
        CAST({{ error | literal }} AS DOUBLE) AS error,
        CAST({{ control_rate | literal }} AS DOUBLE) AS control_rate,
        CAST({{ control_error | literal }} AS DOUBLE) AS control_error
),
residuals AS (
    SELECT
        (rate - control_rate) / NULLIF(1 - control_rate, 0) AS risk,
        SQRT(
            POWER(error / NULLIF(1 - control_rate, 0), 2)
            + POWER(control_error * (rate - 1) / NULLIF((1 - control_rate) * (1 - control_rate), 0), 2)
        ) AS error
    FROM given
)
SELECT
    CASE WHEN risk IS NOT NULL THEN GREATEST(0, LEAST(1, risk)) END AS risk,
    error,
    CASE WHEN risk IS NOT NULL THEN GREATEST(0, LEAST(1, risk - error)) END AS lower,
    CASE WHEN risk IS NOT NULL THEN GREATEST(0, LEAST(1, risk + error)) END AS upper
FROM residuals
