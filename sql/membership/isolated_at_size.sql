-- isolated_at_size
-- How many predicates would single out a record in a control set of another size.
--
-- definition: in a smaller one what is expected of a drawn part, exactly, by the hypergeometric distribution; in a larger one
--   what is measured times model(size) / model(records), model(n) = n w / (1 + n w)^2, the mean of n v exp(-n v) over
--   exponentially distributed weights v of mean w, with the w of 4,000 that fits best, by least squares and with a factor, to
--   what is expected of parts of a tenth, two tenths and so on of the control set. Weights that are spread equally up to a
--   largest one, as Anonymeter takes them, leave out a sixth of what held-out records of Adult show at twice the size.
-- source: Cohen and Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 2020; Anonymeter, which draws the parts
-- portable: no
--
-- parameter matches: relation, how many records of the control set meet each predicate
-- parameter records: integer, how many it has
-- parameter size: integer, how many it should have
WITH frequencies AS (
    SELECT CAST(matches AS DOUBLE) AS matches, COUNT(*) AS predicates
    FROM {{ matches | relation }} AS matches
    GROUP BY matches
),
sizes AS (
    SELECT range AS part, CAST(GREATEST(1, ROUND({{ records }} * range / 10.0)) AS BIGINT) AS size
    FROM RANGE(1, 11)
    UNION ALL
    SELECT 0 AS part, LEAST({{ size }}, {{ records }}) AS size
),
parts AS (
    SELECT
        sizes.part,
        sizes.size,
        COALESCE(CAST(SUM(CAST(CASE
            WHEN frequencies.matches + sizes.size > {{ records }} + 1 THEN 0
            ELSE frequencies.predicates * frequencies.matches * EXP(
                LGAMMA({{ records }} - frequencies.matches + 1) - LGAMMA(sizes.size) - LGAMMA({{ records }} - frequencies.matches - sizes.size + 2)
                - LGAMMA({{ records }} + 1) + LGAMMA(sizes.size + 1) + LGAMMA({{ records }} - sizes.size + 1)
            )
        END AS DECIMAL(38, 18))) AS DOUBLE), 0) AS expected
    FROM sizes
    LEFT JOIN frequencies ON frequencies.matches >= 1
    GROUP BY sizes.part, sizes.size
),
measured AS (
    SELECT COUNT(CASE WHEN matches = 1 THEN 1 END) AS successes
    FROM {{ matches | relation }} AS matches
),
weights AS (
    SELECT EXP(-LN(10000.0 * GREATEST({{ records }}, {{ size }})) * (1 - range / 4000.0)) AS w
    FROM RANGE(4001)
),
-- As shares of the model at all records, so that no number is too small to be added exactly.
models AS (
    SELECT
        weights.w,
        parts.expected,
        CAST(parts.size AS DOUBLE) / {{ records }} * POWER((1 + {{ records }} * weights.w) / (1 + parts.size * weights.w), 2) AS model
    FROM weights
    JOIN parts ON parts.part > 0
),
modelled AS (
    SELECT
        models.w,
        CAST(SUM(CAST(models.expected / GREATEST(measured.successes, 1) * models.model AS DECIMAL(38, 18))) AS DOUBLE) AS product,
        CAST(SUM(CAST(models.model * models.model AS DECIMAL(38, 18))) AS DOUBLE) AS square
    FROM models
    CROSS JOIN measured
    GROUP BY models.w
),
-- Rounded, so that of weights that fit equally well the least is taken by any engine.
fitted AS (
    SELECT ARG_MAX(w, ROW(ROUND(product * product / square, 9), -w)) AS w
    FROM modelled
    WHERE square > 0
),
factors AS (
    SELECT CAST({{ size }} AS DOUBLE) / {{ records }} * POWER((1 + {{ records }} * w) / (1 + {{ size }} * w), 2) AS factor
    FROM fitted
)
SELECT
    measured.successes AS measured,
    CASE
        WHEN {{ size }} = {{ records }} THEN CAST(measured.successes AS DOUBLE)
        WHEN {{ size }} < {{ records }} THEN parts.expected
        ELSE measured.successes * COALESCE(factors.factor, 1)
    END AS successes
FROM measured
CROSS JOIN factors
JOIN parts ON parts.part = 0
