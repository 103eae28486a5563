-- declared_unsafe
-- Whether a guess of pseudonyms is right so often that the release counts as unsafe: the rule of PWS Cup 2018.
--
-- definition: of n guesses as many as r(n) have to be right: the smallest k with sum over j = k to n of C(n, j) p^j <
--   a, for p = 1/3 and a = 0.01/20; r(0) = 1. A guess is right where the pseudonym is the customer's
-- source: the programs of PWS Cup 2018 for its thresholds (make_r, the table R) and for safety (sec-test)
-- missing: a guess without a pseudonym or a customer is left out; a pair that is guessed twice counts once
-- read: the sum is at least the probability of k right guesses if each is right with probability one third. Up to 6
--   guesses never declare a release unsafe, and a release that no guess declares unsafe is not shown to be safe.
-- runs: finish
--
-- parameter truth: relation, the released records: customer and pseudonym
-- parameter guess: relation, customer and pseudonym
-- parameter person: column, the customer in both
-- parameter pseudonym: column, the pseudonym in both
--
-- column guesses: BIGINT, guesses, n
-- column right_guesses: BIGINT, guesses, that are right
-- column needed_guesses: BIGINT, guesses, r(n), right guesses that declare the release unsafe
-- column unsafe: BOOLEAN, truth, whether right_guesses reaches needed_guesses
WITH pairs AS (
    SELECT 'guess' AS side, {{ person | identifier }} AS customer, {{ pseudonym | identifier }} AS pseudonym
    FROM {{ guess | relation }}
    UNION
    SELECT 'truth' AS side, {{ person | identifier }} AS customer, {{ pseudonym | identifier }} AS pseudonym
    FROM {{ truth | relation }}
),
counted AS (
    SELECT COUNT(guess.side) AS guesses, COUNT(truth.side) AS right_guesses
    FROM pairs AS guess
    LEFT JOIN pairs AS truth
        ON truth.side = 'truth' AND truth.customer = guess.customer AND truth.pseudonym = guess.pseudonym
    WHERE guess.side = 'guess' AND guess.customer IS NOT NULL AND guess.pseudonym IS NOT NULL
),
-- A summand above 1 is above a whatever it is.
summands AS (
    SELECT
        j,
        EXP(LEAST(0, LGAMMA(guesses + 1) - LGAMMA(j + 1) - LGAMMA(guesses - j + 1) - j * LN(3))) AS summand
    FROM (SELECT guesses, UNNEST(RANGE(1, guesses + 1)) AS j FROM counted) AS numbers
),
tails AS (
    SELECT j, SUM(summand) OVER (ORDER BY j DESC ROWS UNBOUNDED PRECEDING) AS tail
    FROM summands
),
needed AS (
    SELECT COALESCE(MAX(j), 0) + 1 AS needed_guesses
    FROM tails
    WHERE tail >= 0.01 / 20
)
SELECT
    counted.guesses,
    counted.right_guesses,
    needed.needed_guesses,
    counted.right_guesses >= needed.needed_guesses AS unsafe
FROM counted
CROSS JOIN needed
