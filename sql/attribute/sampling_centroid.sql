-- sampling_centroid
-- The mean cost and the mean error of the sampling model with a sample of one value.
--
-- definition: the centroid of the points (|R_x|, |alpha_x omega / m - R(X)|) of all omega values x: the mean
--   cost is m / omega, the mean error that of an estimate from one value drawn with probability 1 / omega.
-- source: Ito, table 5 (the row of the sampling model) and figure 1 (the centroid of the grey points)
-- missing: a record without a user or without a value is left out.
-- read: the cost of s values is s times as much, their error about the square root of s smaller.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attribute: attribute, the value that the attacker learns
--
-- column distinct_values: BIGINT, values, omega
-- column mean_cost: DOUBLE, records, m / omega
-- column mean_error: DOUBLE, probability, the mean distance from R(X)
-- include: records_and_users
-- Values with equally many records and users are one point; decimals, so that the order does not matter.
points AS (
    SELECT COUNT(*) AS many, records, CAST(records AS DOUBLE) / users AS alpha
    FROM knowledge
    GROUP BY records, users
),
totals AS (
    SELECT
        CAST(SUM(many * records) AS DOUBLE) AS records,
        SUM(many) AS distinct_values,
        CAST(SUM(CAST(many * alpha AS DECIMAL(38, 18))) AS DOUBLE) AS alphas
    FROM points
)
SELECT
    CAST(COALESCE(MAX(totals.distinct_values), 0) AS BIGINT) AS distinct_values,
    MAX(totals.records / totals.distinct_values) AS mean_cost,
    CAST(
        SUM(CAST(points.many * ABS(points.alpha - totals.alphas / totals.distinct_values) AS DECIMAL(38, 18)))
        AS DOUBLE
    ) / MAX(totals.records) AS mean_error
FROM points CROSS JOIN totals
