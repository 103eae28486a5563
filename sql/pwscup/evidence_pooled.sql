-- evidence_pooled
-- Adds to what is said for a pseudonym in a period what is said for it where it is guessed in the others.
--
-- definition: score + stability * the sum of the scores of the guesses of the same user and pseudonym in other periods,
--   for every period that the pseudonym has
-- portable: no
--
-- parameter table: column, the table that is made
-- parameter scores: column, the scores period by period
-- parameter guess: column, the guess from these
-- parameter pseudonyms: column, the pseudonyms and their numbers
-- parameter stability: number, how often a pseudonym stays with its user
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH guesses AS (
    SELECT guess.user_number, guess.pseudonym_number, pseudonyms.pseudonym, guess.score
    FROM {{ guess | identifier }} AS guess
    JOIN {{ pseudonyms | identifier }} AS pseudonyms ON pseudonyms.number = guess.pseudonym_number
),
said AS (
    SELECT user_number, pseudonym_number, score
    FROM {{ scores | identifier }}
    UNION ALL
    SELECT
        guesses.user_number
        , others.number AS pseudonym_number
        , CAST({{ stability | literal }} * CAST(guesses.score AS DOUBLE) AS DECIMAL(18, 9)) AS score
    FROM guesses
    JOIN {{ pseudonyms | identifier }} AS others
        ON others.pseudonym = guesses.pseudonym AND others.number <> guesses.pseudonym_number
),
totals AS (
    SELECT user_number, pseudonym_number, SUM(score) AS score
    FROM said
    GROUP BY user_number, pseudonym_number
)
SELECT totals.user_number, pseudonyms.period, totals.pseudonym_number, totals.score
FROM totals
JOIN {{ pseudonyms | identifier }} AS pseudonyms ON pseudonyms.number = totals.pseudonym_number
