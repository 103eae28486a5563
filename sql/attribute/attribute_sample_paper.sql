-- attribute_sample_paper
-- The sampling model of the paper, with the interval of the paper.
--
-- definition: R_sample(X) = mean of alpha_x over s values drawn with replacement, times omega / m; the
--   interval is the estimate plus and minus the population standard deviation of the s drawn alpha_x
--   times omega / m, not clipped.
-- source: Ito, definition 3.3 and table 4 (the interval as reconstructed from the published figures)
-- missing: a record without a user or without a value is left out.
-- read: for comparison with published figures only: the interval is no confidence interval, it holds the
--   exact risk in about 60 to 80 % of draws of ten values on purchase histories.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attribute: attribute, the value that the attacker learns
-- parameter samples: integer, s, number of sampled values
-- parameter seed: integer, chooses the values
--
-- column sampled_values: BIGINT, values, s; a value drawn twice counts twice
-- column records_read: BIGINT, records, records of these values: the cost of the model
-- column estimate: DOUBLE, probability, R_sample(X)
-- column lower: DOUBLE, probability, estimate minus the deviation
-- column upper: DOUBLE, probability, estimate plus the deviation
WITH history AS (
    SELECT {{ user | person }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
counted AS (
    SELECT value, COUNT(*) AS records
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
totals AS (
    SELECT CAST(SUM(records) AS DOUBLE) AS records, COUNT(*) AS distinct_values FROM counted
),
-- Each draw takes the value that comes first in an order of its own.
drawn AS (
    SELECT
        numbers.draw,
        counted.value,
        counted.records,
        ROW_NUMBER() OVER (
            PARTITION BY numbers.draw
            ORDER BY MD5(
                '{{ seed | literal }} ' || CAST(numbers.draw AS STRING) || ' ' || CAST(counted.value AS STRING)),
                counted.value
        ) AS turn
    FROM counted CROSS JOIN range(0, {{ samples | literal }}) AS numbers (draw)
),
sampled AS (
    SELECT draw, value, records FROM drawn WHERE turn = 1
),
users_of_sampled AS (
    SELECT history.value, COUNT(DISTINCT history.user_id) AS users
    FROM history
    WHERE history.user_id IS NOT NULL AND history.value IN (SELECT value FROM sampled)
    GROUP BY history.value
),
seen AS (
    SELECT sampled.records, CAST(sampled.records AS DOUBLE) / users_of_sampled.users AS alpha
    FROM sampled JOIN users_of_sampled ON users_of_sampled.value = sampled.value
),
sums AS (
    SELECT
        COUNT(*) AS samples,
        CAST(SUM(records) AS BIGINT) AS records_read,
        CAST(SUM(CAST(alpha AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS mean
    FROM seen
),
spread AS (
    SELECT SQRT(
        CAST(SUM(CAST((seen.alpha - sums.mean) / sums.mean * ((seen.alpha - sums.mean) / sums.mean) AS DECIMAL(38, 18)))
        AS DOUBLE)
        / COUNT(*)) AS relative
    FROM seen CROSS JOIN sums
)
SELECT
    sums.samples AS sampled_values,
    COALESCE(sums.records_read, 0) AS records_read,
    sums.mean * totals.distinct_values / totals.records AS estimate,
    sums.mean * (1 - spread.relative) * totals.distinct_values / totals.records AS lower,
    sums.mean * (1 + spread.relative) * totals.distinct_values / totals.records AS upper
FROM sums CROSS JOIN spread CROSS JOIN totals
