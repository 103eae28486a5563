-- evidence_shares
-- How often a record survives in a release so that it still agrees on a set of columns.
--
-- definition: of the known records of users whose pseudonym is guessed, the share that has a match by the set under it;
--   before there is a guess, nine in ten for each set
-- portable: no
--
-- parameter table: column, the table that is made: "key", "survival"
-- parameter matches: column, all matches
-- parameter guess: column or none, the pseudonym that is guessed for each user
-- parameter known: column, the known records as they are compared
-- parameter keys: integer, how many sets there are
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
{% if guess is none %}
SELECT key, CAST(0.9 AS DOUBLE) AS survival
FROM RANGE({{ keys }}) AS keys(key)
{% else %}
WITH guessed AS (
    SELECT matches.key, COUNT(*) AS records
    FROM {{ matches | identifier }} AS matches
    JOIN {{ guess | identifier }} AS guess
        ON guess.user_number = matches.user_number AND guess.pseudonym_number = matches.pseudonym_number
    GROUP BY matches.key
),
total AS (
    SELECT COUNT(*) AS records
    FROM {{ known | identifier }} AS known
    JOIN {{ guess | identifier }} AS guess ON guess.user_number = known.person AND guess.period = known.period
)
SELECT
    keys.key
    , LEAST(0.99, GREATEST(0.0001, COALESCE(guessed.records, 0) / GREATEST(total.records, 1))) AS survival
FROM RANGE({{ keys }}) AS keys(key)
CROSS JOIN total
LEFT JOIN guessed ON guessed.key = keys.key
{% endif %}
