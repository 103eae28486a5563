-- pseudonym_stability
-- How often a pseudonym that comes back in a later period is guessed to be of the same user again.
--
-- definition: over the guesses for a pseudonym, each beside the one for the last period before it that has a guess
-- portable: no
--
-- parameter guess: column, the guess
-- parameter pseudonyms: column, the pseudonyms and their numbers
WITH guesses AS (
    SELECT
        guess.user_number
        , LAG(guess.user_number) OVER (PARTITION BY pseudonyms.pseudonym ORDER BY pseudonyms.period) AS before
    FROM {{ guess | identifier }} AS guess
    JOIN {{ pseudonyms | identifier }} AS pseudonyms ON pseudonyms.number = guess.pseudonym_number
)
SELECT COALESCE(CAST(SUM(CASE WHEN before = user_number THEN 1 ELSE 0 END) AS DOUBLE) / NULLIF(COUNT(before), 0), 0) AS stability
FROM guesses
