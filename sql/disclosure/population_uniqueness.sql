-- population_uniqueness
-- The share of unique people in the population, estimated from a sample: Zayatz, Pitman, SNB and Dankar's rule.
--
-- definition: n records in u classes, c_i of them of size i, are a sample of N = n / fraction people. zayatz = (c_1 /
--   n) c_1 P_1 / sum_i c_i P_i, P_i the hypergeometric chance that one of i of N people is among n. pitman = gamma(t
--   + 1) / gamma(t + a) N^(a - 1), t > -a and 0 <= a < 1 where their likelihood is highest; a = 0, where it falls
--   from there on, is Ewens' case: t / N. snb = (K / N) b^a: in the population K classes of size 1 + a negative
--   binomial number with a and b; K by Shlosser's third estimator, a and b where the expected c_1 and c_2 are those
--   of the sample. Dankar's rule: where the fraction is at most 0.1 pitman, or zayatz if that has no solution; above
--   it the smaller of zayatz and snb. kappa = E(K_N) / N, the expected classes of the population by Pitman's process:
--   E(K_N) = (u + t / a) r - t / a, r = gamma(t + N + a) gamma(t + n) / (gamma(t + n + a) gamma(t + N)); a = 0 is
--   Ewens' limit u + t (psi(t + N) - psi(t + n)), and where nobody is alone no class is missing: u / N.
-- source: Zayatz, 1991; Hoshino, 2001 (Pitman); Rocher, Hendrickx and de Montjoye, 2025 (kappa); Chen and
--   Keller-McNulty, 1998 (SNB); Haas and Stokes, 1998; Dankar et al., Estimating the re-identification risk of clinical
--   data sets, 2012; ARX, whose SNB multiplies in E(c_2) where it has to divide and subtracts 1 a size in Shlosser's
--   estimator, which leaves it without a solution below 1
-- missing: as in the class sizes that are given. A model without a solution is NULL: pitman where all records are
--   alone. pitman and snb are NULL as well where their formulas give no share, which is above 1 or below 0;
--   pitman_alpha and pitman_theta then show that Pitman's model had a solution, and Dankar's rule takes zayatz
-- read: a share of the population; at fraction 1 it is the share of unique records. kappa is the share that a guess
--   within the class of each person finds; at fraction 1 it is classes / records
-- runs: finish
--
-- parameter sizes: relation, class sizes as class_sizes gives them: columns class_size and classes
-- parameter fraction: number, the share of the population that the records are, above 0, at most 1
--
-- column records: BIGINT, records, n
-- column people: DOUBLE, people, N
-- column zayatz: DOUBLE, share of people, unique by Zayatz; NULL without a solution
-- column pitman: DOUBLE, share of people, unique by Pitman; NULL without a solution and where the formula gives more
--   than 1
-- column pitman_alpha: DOUBLE, a, of Pitman's model: 0 is Ewens' case; NULL without a solution and where nobody is
--   alone
-- column pitman_theta: DOUBLE, t, of Pitman's model, above -a; NULL likewise
-- column snb: DOUBLE, share of people, unique by the shifted negative binomial; NULL likewise
-- column dankar: DOUBLE, share of people, unique by the model of Dankar's rule
-- column dankar_model: VARCHAR, name, of that model
-- column kappa: DOUBLE, share of people, found by a guess within the class of each; NULL without a solution by Pitman
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
        COALESCE(ANY_VALUE(CASE WHEN i = 1 THEN c END), 0) AS c1,
        COALESCE(ANY_VALUE(CASE WHEN i = 2 THEN c END), 0) AS c2
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
    SELECT c1 / n * c1 * chance_of_one / LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * chance[k]))
        AS share
    FROM chances
    WHERE c1 > 0
),
-- Pitman: where it is likeliest for a given a, b = t + a is found by halving LN(b); of 64 values of a the last at
-- which that
-- likelihood still rises begins 64 finer ones, eight times. A gap is digamma(y + m) - digamma(y).
likelier AS (
    SELECT 0 AS step, CAST(1e-30 AS DOUBLE) AS a, CAST(NULL AS DOUBLE) AS t
    FROM totals
    WHERE c1 > 0 AND u > 1 AND u < n
    UNION ALL
    SELECT step + 1 AS step, MAX(a) AS a, ARG_MAX(t, a) AS t
    FROM (
        SELECT
            *,
            b - a AS t,
            LIST_TRANSFORM(
                LIST_CONCAT([{'y': b / a, 'm': u - 1}], LIST_TRANSFORM(i, lambda size: {'y': 1 - a, 'm': size - 1})),
                lambda p: LIST_SUM(LIST_TRANSFORM(RANGE(0, 8), lambda j: p.m / ((p.y + j) * (p.y + j + p.m))))
                    + CASE WHEN p.m < p.y + 8 THEN 2 * ATANH(p.m / (2 * (p.y + 8) + p.m))
                        ELSE LN(1 + p.m / (p.y + 8)) END
                    + p.m / (2 * (p.y + 8) * (p.y + 8 + p.m))
                    + LIST_SUM(LIST_TRANSFORM(
                        [{'w': POWER(p.y + 8, -2), 'sign': 1}, {'w': POWER(p.y + 8 + p.m, -2), 'sign': -1}],
                        lambda q: q.sign * q.w * (1 / 12 - q.w * (1 / 120 - q.w * (1 / 252
                            - q.w * (1 / 240 - q.w * (1 / 132 - q.w * 691 / 32760)))))
                    ))
            ) AS gap
        FROM (
            SELECT
                *,
                EXP(LIST_REDUCE(
                    LIST_CONCAT([CAST(-50 AS DOUBLE)], LIST_TRANSFORM(RANGE(0, 56), lambda k: POWER(0.5, k - 6))),
                    lambda x, h: x + CASE WHEN LIST_SUM(LIST_TRANSFORM(
                        [{'y': EXP(x + h) / a, 'm': u - 1, 'by': 1 / a}, {'y': EXP(x + h) + 1 - a, 'm': n - 1,
                            'by': -1}],
                        lambda p: p.by * (
                            LIST_SUM(LIST_TRANSFORM(RANGE(0, 8), lambda j: p.m / ((p.y + j) * (p.y + j + p.m))))
                            + CASE WHEN p.m < p.y + 8 THEN 2 * ATANH(p.m / (2 * (p.y + 8) + p.m))
                                ELSE LN(1 + p.m / (p.y + 8)) END
                            + p.m / (2 * (p.y + 8) * (p.y + 8 + p.m))
                            + LIST_SUM(LIST_TRANSFORM(
                                [{'w': POWER(p.y + 8, -2), 'sign': 1}, {'w': POWER(p.y + 8 + p.m, -2), 'sign': -1}],
                                lambda q: q.sign * q.w * (1 / 12 - q.w * (1 / 120 - q.w * (1 / 252
                                    - q.w * (1 / 240 - q.w * (1 / 132 - q.w * 691 / 32760)))))
                            ))
                        )
                    )) > 0 THEN h ELSE 0 END
                )) AS b
            FROM (
                SELECT
                    likelier.step,
                    likelier.a + places.k * POWER(64, -likelier.step - 1) AS a,
                    places.k,
                    totals.i,
                    totals.c,
                    totals.many,
                    totals.n,
                    totals.u
                FROM likelier
                CROSS JOIN totals
                CROSS JOIN RANGE(0, 64) AS places(k)
                WHERE likelier.step < 8
            ) AS finer
        ) AS likeliest
    ) AS gaps
    -- sum i / (t + i a), as a series where a is small, and sum c sum 1 / (j - a)
    WHERE k = 0 OR CASE
        WHEN a * u < 3e-4 * t THEN (u - 1) * u / t * (1 / 2 - a / t * ((2 * u - 1) / 6 - a / t * (
            (u - 1) * u / 4 - a / t * (2 * u - 1) * (3 * (u - 1) * u - 1) / 30
        )))
        ELSE (u - 1 - t / a * gap[1]) / a
    END > LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * gap[k + 1]))
    GROUP BY step
),
pitman AS (
    SELECT a, t, EXP(LGAMMA(t + 1) - LGAMMA(t + a) + (a - 1) * LN(people)) AS share
    FROM (SELECT CASE WHEN a > 1e-20 THEN a ELSE 0 END AS a, t FROM likelier WHERE step = 8) AS most_likely
    CROSS JOIN totals
),
-- kappa: LN(r) / a is the sum of LN(1 + a / y) / a from y = t + n to t + N - 1, the first 32 terms one by one, the
-- others by their integral (Euler and Maclaurin). No difference of gammas is divided by a, which can be nearly 0.
rises AS (
    SELECT
        *,
        LIST_SUM(LIST_TRANSFORM(
            RANGE(0, CAST(LEAST(32, people - n) AS BIGINT)),
            lambda j: CASE WHEN a = 0 THEN 1 / (t + n + j) ELSE 2 * ATANH(a / (2 * (t + n + j) + a)) / a END
        )) + CASE WHEN people - n <= 32 THEN 0 ELSE
            LN((high + a) / (low + a)) + high * of_high - low * of_low + (of_low - of_high) / 2
            + (1 / (low * (low + a)) - 1 / (high * (high + a))) / 12
            - ((3 * low * (low + a) + a * a) / POWER(low * (low + a), 3)
                - (3 * high * (high + a) + a * a) / POWER(high * (high + a), 3)) / 360
        END AS gap
    FROM (
        SELECT
            *,
            CASE WHEN a = 0 THEN 1 / low ELSE 2 * ATANH(a / (2 * low + a)) / a END AS of_low,
            CASE WHEN a = 0 THEN 1 / high ELSE 2 * ATANH(a / (2 * high + a)) / a END AS of_high
        FROM (SELECT *, t + n + 32 AS low, t + people AS high FROM pitman CROSS JOIN totals) AS ends
    ) AS slopes
),
kappa AS (
    SELECT (
        u * EXP(a * gap)
        + t * gap * CASE WHEN a = 0 THEN 1 ELSE EXP(a * gap / 2) * SINH(a * gap / 2) / (a * gap / 2) END
    ) / people AS share
    FROM rises
    WHERE people > n
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
        CASE WHEN people = n OR c1 = 0 THEN u / people ELSE (SELECT share FROM kappa) END AS kappa,
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
    (SELECT a FROM pitman) AS pitman_alpha,
    (SELECT t FROM pitman) AS pitman_theta,
    snb,
    CASE dankar_model WHEN 'pitman' THEN pitman WHEN 'snb' THEN snb ELSE zayatz END AS dankar,
    dankar_model,
    kappa
FROM chosen
