-- known_records_figures
-- Risk and unicity by the number of known records, with confidence intervals; reads by_users.

sums AS (
    SELECT
        known,
        CAST(SUM(draws) AS BIGINT) AS draws,
        CAST(SUM(CAST(CAST(draws AS DOUBLE) / users AS DECIMAL(38, 18))) AS DOUBLE) AS inverse,
        CAST(SUM(CAST(CAST(draws AS DOUBLE) / users / users AS DECIMAL(38, 18))) AS DOUBLE) AS inverse_squared,
        CAST(SUM(CASE WHEN users = 1 THEN draws ELSE 0 END) AS DOUBLE) AS alone
    FROM by_users
    GROUP BY known
),
quantile AS (
    SELECT MAX(CASE WHEN ABS(normal.confidence - {{ confidence | literal }}) < 1e-4 THEN normal.z END) AS z
    FROM (VALUES (0.80, 1.2816), (0.90, 1.6449), (0.95, 1.96), (0.99, 2.5758)) AS normal (confidence, z)
),
moments AS (
    SELECT
        known,
        draws,
        inverse / draws AS risk,
        quantile.z * SQRT(GREATEST(0, inverse_squared / draws - (inverse / draws) * (inverse / draws)) / draws)
            AS half_width,
        alone / draws AS unicity,
        (alone + quantile.z * quantile.z / 2) / (draws + quantile.z * quantile.z) AS centre,
        quantile.z * SQRT(alone * (draws - alone) / draws + quantile.z * quantile.z / 4)
            / (draws + quantile.z * quantile.z) AS spread
    FROM sums CROSS JOIN quantile
)
SELECT
    CAST(known AS INTEGER) AS known_records,
    draws,
    risk,
    CASE WHEN half_width IS NULL THEN NULL ELSE GREATEST(0, risk - half_width) END AS risk_lower,
    CASE WHEN half_width IS NULL THEN NULL ELSE LEAST(1, risk + half_width) END AS risk_upper,
    unicity,
    CASE WHEN spread IS NULL THEN NULL WHEN unicity = 0 THEN 0 ELSE GREATEST(0, centre - spread) END AS unicity_lower,
    CASE WHEN spread IS NULL THEN NULL WHEN unicity = 1 THEN 1 ELSE LEAST(1, centre + spread) END AS unicity_upper
FROM moments
ORDER BY known_records
