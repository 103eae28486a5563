-- population_uniqueness
-- How much of the population is unique, judged by the class sizes of a sample of it: Zayatz, Pitman, SNB and Dankar's rule.
--
-- definition: n records in u classes, c_i of them of size i, are a sample of N = n / fraction people. zayatz =
--   (c_1 / n) c_1 P_1 / sum_i c_i P_i, P_i the hypergeometric chance that one of i of N people is among n. pitman =
--   gamma(t + 1) / gamma(t + a) N^(a - 1), t and a the maximum likelihood estimates. snb = (K / N) b^a: in the population
--   K classes of size 1 + a negative binomial number with a and b; K by Shlosser's third estimator, a and b where the expected
--   c_1 and c_2 are those of the sample. Dankar's rule: pitman where the fraction is at most 0.1 and there is an
--   estimate, else the smaller of zayatz and snb.
-- source: Zayatz, 1991; Hoshino, 2001 (Pitman); Chen and Keller-McNulty, 1998 (SNB); Haas and Stokes, 1998; Dankar et
--   al., Estimating the re-identification risk of clinical data sets, 2012; ARX, whose SNB multiplies in E(c_2) where it
--   has to divide and subtracts 1 a size in Shlosser's estimator, which leaves it without a solution below 1
-- missing: as in the class sizes that are given; a model without a solution is NULL
-- read: a share of the population; at fraction 1 it is the share of unique records
-- portable: no
--
-- parameter sizes: relation, class sizes as class_sizes gives them: columns class_size and classes
-- parameter fraction: number, the share of the population that the records are, above 0, at most 1
--
-- column records: BIGINT, records, n
-- column people: DOUBLE, people, N
-- column zayatz: DOUBLE, share of people, unique by Zayatz
-- column pitman: DOUBLE, share of people, unique by Pitman
-- column snb: DOUBLE, share of people, unique by the shifted negative binomial
-- column dankar: DOUBLE, share of people, unique by the model of Dankar's rule
-- column dankar_model: VARCHAR, name, of that model
WITH RECURSIVE sizes AS (
    SELECT CAST(class_size AS DOUBLE) AS i, CAST(SUM(classes) AS DOUBLE) AS c
    FROM {{ sizes | relation }}
    WHERE classes > 0
    GROUP BY class_size
),
given AS MATERIALIZED (
    SELECT
        CAST({{ fraction | literal }} AS DOUBLE) AS f,
        LIST(i ORDER BY i) AS i,
        LIST(c ORDER BY i) AS c,
        CAST(SUM(CAST(i AS DECIMAL(38, 0)) * CAST(c AS DECIMAL(38, 0))) AS DOUBLE) AS n,
        CAST(SUM(CAST(c AS DECIMAL(38, 0))) AS DOUBLE) AS u,
        COALESCE(MAX(CASE WHEN i = 1 THEN c END), 0) AS c1,
        COALESCE(MAX(CASE WHEN i = 2 THEN c END), 0) AS c2
    FROM sizes
),
totals AS MATERIALIZED (
    SELECT *, LEN(i) AS many, FLOOR(n / f + 1e-6) AS people
    FROM given
),
-- Zayatz: each chance as a product, a long one by the midpoints of 2,048 stretches.
chances AS (
    SELECT
        c1,
        n,
        c,
        many,
        LIST_TRANSFORM(i, lambda size: size * n / people * CASE
            WHEN size = 1 THEN 1
            ELSE EXP((size - 1) / LEAST(size - 1, 2048) * LIST_SUM(LIST_TRANSFORM(
                RANGE(0, CAST(LEAST(size - 1, 2048) AS BIGINT)),
                lambda j: LN(GREATEST(1e-300, 1 - (n - 1) / GREATEST(
                    1, people - 0.5 - (j + 0.5) * (size - 1) / LEAST(size - 1, 2048)
                )))
            )))
        END) AS chance,
        n / people AS chance_of_one
    FROM totals
),
zayatz AS (
    SELECT c1 / n * c1 * chance_of_one / LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * chance[k])) AS share
    FROM chances
    WHERE c1 > 0
),
-- Pitman: Newton's steps, a step's points being where digamma and trigamma are needed.
guesses AS (
    SELECT
        n,
        c1,
        u,
        (n * u * c - c1 * (n - 1) * (2 * u + c)) / NULLIF(2 * c1 * u + c1 * c - n * c, 0) AS t
    FROM (SELECT n, u, c1, c1 * (c1 - 1) / GREATEST(c2, 1) AS c FROM totals) AS pairs
),
steps AS (
    SELECT
        0 AS step,
        CASE WHEN t > 0 AND t < 1e12 THEN t ELSE 1 END AS t,
        CASE WHEN (t * (c1 - n) + (n - 1) * c1) / (n * u) BETWEEN 0.001 AND 0.999
            THEN (t * (c1 - n) + (n - 1) * c1) / (n * u) ELSE 0.5 END AS a,
        CAST(1 AS DOUBLE) AS moved
    FROM guesses
    WHERE c1 > 0 AND u > 1 AND u < n
    UNION ALL
    SELECT
        step + 1 AS step,
        CASE WHEN new_t <= 0 OR new_t IS NULL THEN t / 2 ELSE LEAST(new_t, 100 * (t + 1)) END AS t,
        CASE WHEN new_a >= 1 THEN (1 + a) / 2 WHEN new_a <= 0 OR new_a IS NULL THEN a / 2 ELSE new_a END AS a,
        COALESCE(ABS(new_t - t) / t + ABS(new_a - a) / a, 1) AS moved
    FROM (
        SELECT
            step,
            t,
            a,
            t - (y2 * o1 - x2 * o2) / NULLIF(x1 * y2 - x2 * x2, 0) AS new_t,
            a - (x1 * o2 - x2 * o1) / NULLIF(x1 * y2 - x2 * x2, 0) AS new_a
        FROM (
            SELECT
                step,
                t,
                a,
                -- sum 1 / (t + i a) - sum 1 / (t + i), and sum i / (t + i a) - sum c sum 1 / (j - a)
                (d[1] - d[2]) / a - (d[3] - d[4]) AS o1,
                ((u - 1) - t / a * (d[1] - d[2])) / a - LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * (d[5 + k] - d[5]))) AS o2,
                (e[4] - e[3]) - (e[2] - e[1]) / (a * a) AS x1,
                -((d[1] - d[2]) - t / a * (e[2] - e[1])) / (a * a) AS x2,
                -((u - 1) - 2 * t / a * (d[1] - d[2]) + t * t / (a * a) * (e[2] - e[1])) / (a * a)
                - LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * (e[5] - e[5 + k]))) AS y2
            FROM (
                SELECT
                    step,
                    t,
                    a,
                    u,
                    c,
                    many,
                    LIST_TRANSFORM(points, lambda x: LN(x + 8) - 1 / (2 * (x + 8)) - 1 / (12 * POWER(x + 8, 2))
                        + 1 / (120 * POWER(x + 8, 4)) - 1 / (252 * POWER(x + 8, 6)) + 1 / (240 * POWER(x + 8, 8))
                        - 1 / (132 * POWER(x + 8, 10)) - 1 / x - 1 / (x + 1) - 1 / (x + 2) - 1 / (x + 3)
                        - 1 / (x + 4) - 1 / (x + 5) - 1 / (x + 6) - 1 / (x + 7)) AS d,
                    LIST_TRANSFORM(points, lambda x: 1 / (x + 8) + 1 / (2 * POWER(x + 8, 2)) + 1 / (6 * POWER(x + 8, 3))
                        - 1 / (30 * POWER(x + 8, 5)) + 1 / (42 * POWER(x + 8, 7)) - 1 / (30 * POWER(x + 8, 9))
                        + 5 / (66 * POWER(x + 8, 11)) + 1 / (x * x) + 1 / POWER(x + 1, 2) + 1 / POWER(x + 2, 2)
                        + 1 / POWER(x + 3, 2) + 1 / POWER(x + 4, 2) + 1 / POWER(x + 5, 2) + 1 / POWER(x + 6, 2)
                        + 1 / POWER(x + 7, 2)) AS e
                FROM (
                    SELECT
                        steps.step,
                        steps.t,
                        steps.a,
                        totals.u,
                        totals.c,
                        totals.many,
                        LIST_CONCAT(
                            [totals.u + steps.t / steps.a, steps.t / steps.a + 1, totals.n + steps.t, steps.t + 1, 1 - steps.a],
                            LIST_TRANSFORM(totals.i, lambda size: size - steps.a)
                        ) AS points
                    FROM steps
                    CROSS JOIN totals
                    WHERE steps.step < 100 AND steps.moved > 1e-12
                ) AS wanted
            ) AS known
        ) AS equations
    ) AS next_step
),
pitman AS (
    SELECT EXP(LGAMMA(t + 1) - LGAMMA(t + a) + (a - 1) * LN(people)) AS share
    FROM steps
    CROSS JOIN totals
    WHERE moved <= 1e-12
    ORDER BY step DESC
    LIMIT 1
),
-- SNB: for each b one a has the ratio of c_2 to c_1; b is where c_1 is right, by the first of 64 stretches, and so on.
shlosser AS (
    SELECT
        f,
        c1,
        c2,
        u + c1
        * LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * i[k] * f * f * POWER(1 - f * f, i[k] - 1)))
        / LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * (POWER(1 - f * f, i[k]) - POWER(1 - f, i[k]))))
        * POWER(
            LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * POWER(1 - f, i[k])))
            / LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * i[k] * f * POWER(1 - f, i[k] - 1))),
            2
        ) AS classes
    FROM totals
    WHERE f < 1 AND c1 > 0 AND c2 > 0
),
stretches AS (
    SELECT 0 AS step, CAST(0 AS DOUBLE) AS low, CAST(1 AS DOUBLE) AS high, CAST(NULL AS DOUBLE) AS a
    FROM shlosser
    UNION ALL
    SELECT step + 1 AS step, b[place - 1] AS low, b[place] AS high, a[place] AS a
    FROM (
        SELECT
            *,
            LIST_POSITION(LIST_TRANSFORM(RANGE(1, 66), lambda k: k > 1
                AND COALESCE(off[k] >= 0, FALSE) AND COALESCE(off[GREATEST(k - 1, 1)] < 0, k = 2)), TRUE) AS place
        FROM (
            SELECT
                *,
                LIST_TRANSFORM(RANGE(1, 66), lambda k: classes * f
                    * POWER(b[k] / (1 - (1 - f) * (1 - b[k])), a[k])
                    * (1 + a[k] * (1 - f) * (1 - b[k]) / (1 - (1 - f) * (1 - b[k]))) - c1) AS off
            FROM (
                SELECT
                    *,
                    LIST_TRANSFORM(b, lambda x: 2 * r * POWER(1 - (1 - f) * (1 - x), 2) / (
                        (1 - x) * (2 - (1 - f) * (1 - x)) - r * (1 - (1 - f) * (1 - x)) * (1 - f) * (1 - x)
                        + SQRT(POWER(
                            (1 - x) * (2 - (1 - f) * (1 - x)) - r * (1 - (1 - f) * (1 - x)) * (1 - f) * (1 - x), 2
                        ) + 4 * (1 - x) * (1 - f) * (1 - x) * r * POWER(1 - (1 - f) * (1 - x), 2))
                    )) AS a
                FROM (
                    SELECT
                        stretches.step,
                        shlosser.f,
                        shlosser.c1,
                        shlosser.classes,
                        2 * shlosser.c2 / (shlosser.f * shlosser.c1) AS r,
                        LIST_TRANSFORM(RANGE(0, 65), lambda k: LEAST(
                            stretches.low + (stretches.high - stretches.low) * k / 64, 1 - 1e-9
                        )) AS b
                    FROM stretches
                    CROSS JOIN shlosser
                    WHERE stretches.step < 9
                ) AS grid
            ) AS alphas
        ) AS expected
    ) AS found
    WHERE place IS NOT NULL
),
snb AS (
    SELECT shlosser.classes * POWER(stretches.high, stretches.a) / totals.people AS share
    FROM stretches
    CROSS JOIN shlosser
    CROSS JOIN totals
    WHERE stretches.step = 9
    UNION ALL
    SELECT c1 / n AS share
    FROM totals
    WHERE f = 1
),
estimates AS (
    SELECT
        n,
        people,
        f,
        c1,
        CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE (SELECT share FROM zayatz) END AS zayatz,
        CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE (SELECT share FROM pitman WHERE share BETWEEN 0 AND 1) END AS pitman,
        CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE (SELECT share FROM snb WHERE share BETWEEN 0 AND 1) END AS snb
    FROM totals
),
chosen AS (
    SELECT
        *,
        CASE
            WHEN c1 = 0 OR n IS NULL THEN NULL
            WHEN f <= 0.1 AND pitman > 0 THEN 'pitman'
            WHEN f > 0.1 AND snb < zayatz * (1 - 1e-9) THEN 'snb'
            ELSE 'zayatz'
        END AS dankar_model
    FROM estimates
)
SELECT
    CAST(COALESCE(n, 0) AS BIGINT) AS records,
    people,
    zayatz,
    pitman,
    snb,
    CASE dankar_model WHEN 'pitman' THEN pitman WHEN 'snb' THEN snb ELSE zayatz END AS dankar,
    dankar_model
FROM chosen
