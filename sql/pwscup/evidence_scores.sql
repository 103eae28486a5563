-- evidence_scores
-- What the known records of a user say for each pseudonym of a period: the logarithm of the odds that matches are no chance.
--
-- definition: a set of columns on which a true record survives with probability a, and on which a share q of the
--   pseudonyms agrees, weighs ln(1 + a (1 - q) / q); a record gives each pseudonym the heaviest weight that it
--   matches by, and a user the sum over the records
-- portable: no
--
-- parameter table: column, the table that is made: "user_number", "period", "pseudonym_number", "score"
-- parameter matches: column, all matches
-- parameter shares: column, how often sets survive
-- parameter pseudonyms: column, the pseudonyms and their numbers
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH heaviest AS (
    SELECT
        MIN(matches.user_number) AS user_number
        , matches.pseudonym_number
        , MAX(LN(1 + shares.survival * (1 - matches.share) / matches.share)) AS weight
    FROM {{ matches | identifier }} AS matches
    JOIN {{ shares | identifier }} AS shares ON shares.key = matches.key
    GROUP BY matches.record, matches.pseudonym_number
),
scores AS (
    SELECT user_number, pseudonym_number, SUM(CAST(weight AS DECIMAL(18, 9))) AS score
    FROM heaviest
    GROUP BY user_number, pseudonym_number
)
SELECT scores.user_number, pseudonyms.period, scores.pseudonym_number, scores.score
FROM scores
JOIN {{ pseudonyms | identifier }} AS pseudonyms ON pseudonyms.number = scores.pseudonym_number
