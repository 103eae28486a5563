-- hypergeometric_tail
-- How probable at least so many hits are by chance: the p-value of a guess.
--
-- definition: P(X >= hits), X ~ Hypergeometric(population, members, guesses): the sum over x of
--   C(members, x) C(population - members, guesses - x) / C(population, guesses), each term from the one before
-- source: PWS Cup 2020, scoring; the p-value is our own
-- missing: 1 for no hit or fewer than chance can leave out, 0 for more than there can be
-- read: expected hits, and the p-value
-- portable: no
--
-- parameter population: integer, records
-- parameter members: integer, of them
-- parameter guesses: integer, different records that are guessed
-- parameter hits: integer, guesses that are members
WITH numbers AS (
    SELECT
        CAST({{ population }} AS DOUBLE) AS population,
        CAST({{ members }} AS DOUBLE) AS members,
        CAST({{ guesses }} AS DOUBLE) AS guesses
),
places AS (
    SELECT
        CAST(UNNEST(RANGE(GREATEST(0, {{ guesses }} + {{ members }} - {{ population }}), LEAST({{ guesses }}, {{ members }}) + 1)) AS DOUBLE) AS x
),
steps AS (
    SELECT
        places.x,
        CASE
            WHEN places.x <= GREATEST(0, {{ guesses }} + {{ members }} - {{ population }}) THEN 0
            ELSE LN(
                (numbers.members - places.x + 1) * (numbers.guesses - places.x + 1)
                / (places.x * (numbers.population - numbers.members - numbers.guesses + places.x))
            )
        END AS step
    FROM places
    CROSS JOIN numbers
),
logs AS (
    SELECT x, SUM(step) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS log_weight
    FROM steps
),
weights AS (
    SELECT x, EXP(log_weight - (SELECT MAX(log_weight) FROM logs)) AS weight
    FROM logs
),
sums AS (
    SELECT
        SUM(CASE WHEN x >= {{ hits }} THEN weight ELSE 0 END ORDER BY weight, x) AS tail,
        SUM(weight ORDER BY weight, x) AS total
    FROM weights
)
SELECT
    numbers.guesses * numbers.members / NULLIF(numbers.population, 0) AS expected,
    CASE WHEN {{ hits }} <= 0 THEN 1 ELSE LEAST(1, COALESCE(sums.tail / sums.total, 0)) END AS p_value
FROM sums
CROSS JOIN numbers
