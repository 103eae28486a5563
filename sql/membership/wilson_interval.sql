-- wilson_interval
-- The interval of Wilson of a share of which successes of trials are known.
--
-- definition: rate = (s + z^2 / 2) / (n + z^2), half width z / (n + z^2) sqrt(s (n - s) / n + z^2 / 4)
-- source: Wilson, Probable inference, 1927; Anonymeter
-- missing: from 0 to 1 without any trial
-- portable: yes
--
-- parameter successes: integer, of the trials
-- parameter trials: integer, all of them
-- parameter z: number, the quantile of the normal distribution, 1.96 for 95 percent
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
SELECT COALESCE(rate, 0.5) AS rate, GREATEST(0, COALESCE(rate - half, 0)) AS lower, LEAST(1, COALESCE(rate + half, 1)) AS upper
FROM parts
