-- attack_rate
-- How often an attack succeeds: the rate of Wilson with its error, and the interval of both.
--
-- definition: share = s / n; rate = (s + z^2 / 2) / (n + z^2); error = z / (n + z^2) sqrt(s (n - s) / n + z^2 / 4); the interval
--   is rate - error to rate + error, within 0 and 1
-- source: Wilson, Probable inference, 1927; Anonymeter
-- missing: no value (NULL) where no attack was made
-- portable: yes
--
-- parameter successes: number, of the attacks; expected ones need not be whole
-- parameter attacks: integer, how many were made
-- parameter z: number, the quantile of the normal distribution, 1.96 for 95 percent
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
