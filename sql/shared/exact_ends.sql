-- exact_ends
-- Ends of exact intervals (Clopper and Pearson) of shares; reads shares with place, successes, trials and alpha.

-- The lower end for k successes solves P(X >= k) = alpha; the upper end is 1 - the lower end for the failures.
sides AS (
    SELECT place, 0 AS side, successes AS k, trials, alpha FROM shares
    UNION ALL
    SELECT place, 1 AS side, trials - successes AS k, trials, alpha FROM shares
),
halves AS (
    SELECT
        *,
        CAST(CEIL(25 * SQRT(trials)) + 50 AS BIGINT) AS reach,
        0 AS step,
        CAST(0 AS DOUBLE) AS low,
        CAST(1 AS DOUBLE) AS high
    FROM sides
    UNION ALL
    SELECT
        * EXCLUDE (step, low, high, middle, tail),
        step + 1 AS step,
        CASE WHEN tail < alpha THEN middle ELSE low END AS low,
        CASE WHEN tail < alpha THEN high ELSE middle END AS high
    FROM (
        SELECT
            *,
            (low + high) / 2 AS middle,
            CASE
                WHEN trials * (low + high) / 2 <= k
                    THEN LIST_SUM(LIST_TRANSFORM(
                        RANGE(k, LEAST(trials, k + reach) + 1),
                        lambda i: EXP(
                            LGAMMA(trials + 1) - LGAMMA(i + 1) - LGAMMA(trials - i + 1)
                            + i * LN((low + high) / 2) + (trials - i) * LN(1 - (low + high) / 2)
                        )
                    ))
                ELSE 1 - COALESCE(LIST_SUM(LIST_TRANSFORM(
                    RANGE(GREATEST(0, k - reach), k),
                    lambda i: EXP(
                        LGAMMA(trials + 1) - LGAMMA(i + 1) - LGAMMA(trials - i + 1)
                        + i * LN((low + high) / 2) + (trials - i) * LN(1 - (low + high) / 2)
                    )
                )), 0)
            END AS tail
        FROM halves
        WHERE step < 60 AND k > 0
    ) AS tried
),
