-- individual_risk
-- Individual risk (Benedetti and Franconi) for each pair of a class's size and weight.
--
-- source: Benedetti and Franconi, 1998; Polettini, Some remarks on the individual risk methodology, 2003; sdcMicro
-- runs: finish
-- makes: class_risks

-- name: individual_risk
-- Individual risk (Benedetti and Franconi): the mean of 1 / F where weights estimate F, the people of a class.
--
-- definition: p = f / F, q = 1 - p. exact_risk = the mean of 1 / F over F negative binomial with f and p
--   = (p / f) 2F1(1, 1; f + 1; q): f = 1: (p / q) ln(1 / p); f = 2: (p / q^2)(p ln p + q);
--   f = 3: (p / 2 q^3)(q (3 q - 2) - 2 p^2 ln p). risk takes p / (f - q) from f = 3 on, as sdcMicro does. Where p is 1
--   both are 1 / f; F below f counts as f.
-- source: Benedetti and Franconi, 1998; Polettini, Some remarks on the individual risk methodology, 2003; sdcMicro
-- missing: as in the sizes that are given
-- read: the expected number of records found is the sum of records times risk
--
-- parameter sizes: relation, sizes as weighted_sizes gives them: columns class_size, population_size, classes, records
--
-- column class_size: BIGINT, records, f
-- column population_size: DOUBLE, people, F
-- column classes: BIGINT, classes, with these two sizes
-- column records: BIGINT, records, in these classes
-- column risk: DOUBLE, probability, of each of these records, as sdcMicro has it
-- column exact_risk: DOUBLE, probability, the exact mean
WITH given AS (
    SELECT
        class_size,
        population_size,
        classes,
        records,
        CAST(class_size AS DOUBLE) AS f,
        LEAST(1, class_size / CAST(population_size AS DOUBLE)) AS p
    FROM {{ sizes | relation }}
    WHERE class_size > 0
),
-- Near 1, and for large classes, the series in q is short; elsewhere each f follows from the one before.
risks AS (
    SELECT
        class_size,
        population_size,
        classes,
        records,
        f,
        p,
        1 - p AS q,
        CASE
            WHEN p > 0.5 OR f > 50 THEN p / f * LIST_SUM(LIST_TRANSFORM(
                RANGE(0, 61),
                lambda i: EXP(
                    LGAMMA(i + 1) + LGAMMA(f + 1) - LGAMMA(f + i + 1)
                    + CASE WHEN i = 0 THEN 0 ELSE i * LN(GREATEST(1 - p, 1e-300)) END)
            ))
            ELSE LIST_REDUCE(
                LIST_PREPEND(
                    -p / (1 - p) * LN(p), LIST_TRANSFORM(RANGE(2, class_size + 1), lambda i: CAST(i AS DOUBLE))),
                lambda before, i: p / (1 - p) * (1 / (i - 1) - before)
            )
        END AS exact_risk
    FROM given
)
SELECT
    class_size,
    population_size,
    classes,
    records,
    CASE WHEN f < 3 OR q = 0 THEN exact_risk ELSE p / (f - q) END AS risk,
    exact_risk
FROM risks
ORDER BY class_size, population_size

-- name: class_risks
-- Stores the individual risk of each pair of sizes.
-- parameter risks: relation, as individual_risk gives them
CREATE OR REPLACE TEMP TABLE class_risks AS
SELECT class_size, population_size, records, risk, exact_risk
FROM {{ risks | relation }}
WHERE records > 0

-- name: individual_totals
-- The individual risk summed over all records.
SELECT
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    MAX(risk) AS highest_risk,
    CAST(SUM(CAST(records * risk AS DECIMAL(38, 15))) AS DOUBLE) / CAST(SUM(records) AS DOUBLE) AS average_risk,
    CAST(SUM(CAST(records * risk AS DECIMAL(38, 15))) AS DOUBLE) AS expected_found,
    MAX(exact_risk) AS highest_exact_risk,
    CAST(SUM(CAST(records * exact_risk AS DECIMAL(38, 15))) AS DOUBLE)
        / CAST(SUM(records) AS DOUBLE) AS average_exact_risk
FROM class_risks
