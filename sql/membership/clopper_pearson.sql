-- clopper_pearson
-- The exact interval of a share of which successes of trials are known.
--
-- definition: lower: the p with P(X >= successes) = (1 - confidence) / 2, X ~ Binomial(trials, p); upper: that with
--   P(X <= successes) so; each by 60 halvings on the sum of the terms of the shorter tail, of which those below e^-300
--   are left out; 0 where there is no success, 1 where there is nothing else
-- source: Clopper and Pearson, The use of confidence or fiducial limits, 1934
-- missing: from 0 to 1 without any trial
-- portable: no
--
-- parameter successes: integer, of the trials
-- parameter trials: integer, all of them
-- parameter confidence: number, such as 0.95
WITH RECURSIVE numbers AS (
    SELECT
        CAST({{ trials }} AS DOUBLE) AS trials,
        (1 - CAST({{ confidence | literal }} AS DOUBLE)) / 2 AS alpha,
        CAST(CEIL(25 * SQRT({{ trials }})) + 50 AS BIGINT) AS reach
),
-- The lower end for k successes is what P(X >= k) is alpha for; the upper end is 1 - the lower end for the failures.
sides AS (
    SELECT 0 AS side, {{ successes }} AS k
    UNION ALL
    SELECT 1 AS side, {{ trials }} - {{ successes }} AS k
),
halves AS (
    SELECT side, k, 0 AS step, CAST(0 AS DOUBLE) AS low, CAST(1 AS DOUBLE) AS high
    FROM sides
    UNION ALL
    SELECT
        side,
        k,
        step + 1 AS step,
        CASE WHEN tail < alpha THEN middle ELSE low END AS low,
        CASE WHEN tail < alpha THEN high ELSE middle END AS high
    FROM (
        SELECT
            halves.side,
            halves.k,
            halves.step,
            halves.low,
            halves.high,
            numbers.alpha,
            (halves.low + halves.high) / 2 AS middle,
            CASE
                WHEN numbers.trials * (halves.low + halves.high) / 2 <= halves.k
                    THEN LIST_SUM(LIST_TRANSFORM(
                        RANGE(halves.k, LEAST({{ trials }}, halves.k + numbers.reach) + 1),
                        lambda i: EXP(
                            LGAMMA(numbers.trials + 1) - LGAMMA(i + 1) - LGAMMA(numbers.trials - i + 1)
                            + i * LN((halves.low + halves.high) / 2)
                            + (numbers.trials - i) * LN(1 - (halves.low + halves.high) / 2)
                        )
                    ))
                ELSE 1 - COALESCE(LIST_SUM(LIST_TRANSFORM(
                    RANGE(GREATEST(0, halves.k - numbers.reach), halves.k),
                    lambda i: EXP(
                        LGAMMA(numbers.trials + 1) - LGAMMA(i + 1) - LGAMMA(numbers.trials - i + 1)
                        + i * LN((halves.low + halves.high) / 2)
                        + (numbers.trials - i) * LN(1 - (halves.low + halves.high) / 2)
                    )
                )), 0)
            END AS tail
        FROM halves
        CROSS JOIN numbers
        WHERE halves.step < 60 AND halves.k > 0
    ) AS tried
),
ends AS (
    SELECT side, (low + high) / 2 AS value
    FROM halves
    WHERE step = 60
)
SELECT
    COALESCE((SELECT value FROM ends WHERE side = 0), 0) AS lower,
    1 - COALESCE((SELECT value FROM ends WHERE side = 1), 0) AS upper
