-- single_values
-- The cost and the error of the sampling model for each single value.
--
-- definition: from one value x the risk is alpha_x omega / m, at a cost of |R_x| records; the error is the
--   distance from R(X).
-- source: Ito, figure 1 (the grey points)
-- missing: a record without a user or without a value is left out.
-- read: the wider the points lie, the more values a sample needs. The values themselves are not shown.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attribute: attribute, the value that the attacker learns
-- parameter most: integer, largest number of values, chosen by MD5
-- parameter seed: integer, chooses the values
--
-- column cost: BIGINT, records, |R_x|
-- column risk: DOUBLE, probability, alpha_x omega / m
-- column error: DOUBLE, probability, distance from R(X)
-- include: records_and_users
totals AS (
    SELECT
        CAST(SUM(records) AS DOUBLE) AS records,
        COUNT(*) AS distinct_values,
        CAST(SUM(CAST(CAST(records AS DOUBLE) / users AS DECIMAL(38, 18))) AS DOUBLE) AS alphas
    FROM knowledge
),
chosen AS (
    SELECT value, records, users
    FROM knowledge
    ORDER BY MD5('{{ seed | literal }} ' || CAST(value AS STRING)), value
    LIMIT {{ most | literal }}
)
SELECT
    chosen.records AS cost,
    CAST(chosen.records AS DOUBLE) / chosen.users * totals.distinct_values / totals.records AS risk,
    ABS(CAST(chosen.records AS DOUBLE) / chosen.users * totals.distinct_values - totals.alphas)
        / totals.records AS error
FROM chosen CROSS JOIN totals
ORDER BY cost, risk, error
