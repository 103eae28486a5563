-- pair_violations
-- What of a guess of 2018 does not go with its release, a row for each line.
--
-- definition: pseudonyms that the release has not, customers that the original has not, a pseudonym that is named again
-- source: the check of guesses of PWS Cup 2018 (check-f1)
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the pairs of the guess
-- parameter records: relation, whom each record is of
INSERT INTO {{ name | identifier }}
WITH guesses AS (
    SELECT record, pseudonym, customer FROM {{ source | relation }} AS pairs
),
records AS (
    SELECT customer, pseudonym FROM {{ records | relation }} AS records
)
SELECT 'unknown_pseudonym' AS violated, record, pseudonym AS value
FROM guesses
ANTI JOIN records ON records.pseudonym = guesses.pseudonym
UNION ALL
SELECT 'unknown', record, customer
FROM guesses
ANTI JOIN records ON records.customer = guesses.customer
UNION ALL
SELECT 'repeated_pseudonym', record, pseudonym
FROM (
    SELECT record, pseudonym, ROW_NUMBER() OVER (PARTITION BY pseudonym ORDER BY record) AS time
    FROM guesses
) AS numbered
WHERE time > 1
