-- population_calibration
-- How well the share found in a population is estimated: on samples of the table, as if it were the population.
--
-- idea: what is estimated from a sample of the table is compared with the whole table, where it is known. A draw
--   depends only on the sizes of the classes: each record has a number in its class, each class one among those of
--   its size, and a hash of these and of the seed is below a share of 2^64 for that share of the records.
-- source: our own; population_uniqueness has the estimate
-- runs: finish
-- makes: drawn_sizes, estimated_shares
--
-- parameter draw: integer, the number of the draw
-- parameter fraction: number, the share of the records that the sample is
-- parameter truth: number, what an estimate of the whole table has to be: classes / records

-- name: drawn_sizes
-- The sizes of the classes of samples; a smaller sample of a draw is part of a larger one.
--
-- parameter sizes: relation, class sizes as class_sizes gives them: columns class_size and classes
-- parameter fractions: numbers, the shares of the records that the samples are, ascending
-- parameter draws: integer, draws of each
-- parameter seed: integer, chooses the records
CREATE OR REPLACE TEMP TABLE drawn_sizes AS
WITH classes AS (
    SELECT CAST(class_size AS BIGINT) AS class_size, UNNEST(RANGE(CAST(classes AS BIGINT))) AS class
    FROM {{ sizes | relation }}
),
members AS (
    SELECT class_size, class, UNNEST(RANGE(class_size)) AS member
    FROM classes
),
drawn AS (
    SELECT
        draw, class_size, class,
        CAST(HASH(HASH(class_size, class, member), draw, {{ seed | literal }}) AS DOUBLE)
            / 18446744073709551616 AS place
    FROM members
    CROSS JOIN RANGE({{ draws | literal }}) AS draws (draw)
),
sampled AS (
    SELECT
        draw,
        [{% for fraction in fractions %}
            COUNT(*) FILTER (place < {{ fraction | literal }}){{ loop | between }}
{% endfor %}
        ] AS sizes
    FROM drawn
    WHERE place < {{ fractions[-1] | literal }}
    GROUP BY draw, class_size, class
)
SELECT draw, fraction, class_size, COUNT(*) AS classes
FROM (
    SELECT
        draw,
        UNNEST(CAST({{ fractions | literal }} AS DOUBLE[])) AS fraction,
        UNNEST(sizes) AS class_size
    FROM sampled
) AS listed
WHERE class_size > 0
GROUP BY draw, fraction, class_size

-- name: drawn_samples
-- The samples with their records, and the share of the table that they are.
-- parameter records: integer, the records of the table
SELECT
    draw,
    fraction,
    CAST(SUM(class_size * classes) AS DOUBLE) / {{ records | literal }} AS share
FROM drawn_sizes
GROUP BY draw, fraction
ORDER BY draw, fraction

-- name: drawn_sizes_of
-- The class sizes of one sample, as class_sizes gives them.
-- takes: draw, fraction
(SELECT class_size, classes FROM drawn_sizes WHERE draw = {{ draw | literal }} AND fraction = {{ fraction | literal }})

-- name: estimated_shares
-- Creates the empty table of what samples estimate.
CREATE OR REPLACE TEMP TABLE estimated_shares (draw BIGINT, fraction DOUBLE, records BIGINT, kappa DOUBLE)

-- name: book_estimate
-- Books what a sample estimates.
-- takes: draw, fraction
-- parameter estimate: relation, the row of population_uniqueness
INSERT INTO estimated_shares BY NAME
SELECT
    CAST({{ draw | literal }} AS BIGINT) AS draw, CAST({{ fraction | literal }} AS DOUBLE) AS fraction, records, kappa
FROM {{ estimate | relation }}

-- name: calibration
-- What the samples of each size estimate, and the truth.
-- takes: truth
SELECT
    fraction,
    CAST(MIN(records) AS BIGINT) AS fewest_records,
    COUNT(kappa) AS draws,
    CAST(SUM(CAST(kappa AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(kappa) AS kappa,
    MIN(kappa) AS kappa_lowest,
    MAX(kappa) AS kappa_highest,
    CAST({{ truth | literal }} AS DOUBLE) AS truth
FROM estimated_shares
GROUP BY fraction
ORDER BY fraction

-- name: calibrated_interval
-- An estimate for the population, and where it ends if it is as far off as the samples of the nearest size.
--
-- definition: the nearest fraction is the one with the smallest factor between it and the fraction of the table
--
-- takes: fraction, truth
-- parameter kappa: number, the estimate
WITH off AS (
    SELECT
        LEAST(1, MIN(kappa) / {{ truth | literal }}) AS least,
        GREATEST(1, MAX(kappa) / {{ truth | literal }}) AS most
    FROM estimated_shares
    WHERE kappa IS NOT NULL
    GROUP BY fraction
    ORDER BY ABS(LN(fraction / {{ fraction | literal }})), fraction
    LIMIT 1
)
SELECT
    CAST({{ kappa | literal }} AS DOUBLE) / most AS kappa_lower,
    LEAST(1, CAST({{ kappa | literal }} AS DOUBLE) / least) AS kappa_upper
FROM off
