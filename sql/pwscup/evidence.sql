-- evidence
-- The attack with combined evidence: all columns of all known records, period by period.
--
-- idea: the rate at which records still agree on a set of columns is learned from the release itself. The evidence of
--   a user's known records for a pseudonym is a sum of log odds, and pseudonyms are assigned one to one.
-- source: our own
-- runs: finish
--
-- parameter table: column, the table that is made
-- parameter released: column, the released ones
-- parameter known_records: column, the known records as they are compared
-- parameter pseudonyms: column, the pseudonyms and their numbers
-- parameter matches: column, all matches
-- parameter scores: column, the scores of pairs

-- name: evidence_pseudonyms
-- Numbers the pseudonyms of each period of a release.
--
-- definition: "number" follows the period and the pseudonym, "pseudonyms" is the number of pseudonyms of the period
--
-- takes: table
-- parameter released: relation, the released records
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH pseudonyms AS (
    SELECT period, pseudonym
    FROM {{ released | relation }} AS records
    WHERE pseudonym IS NOT NULL AND period IS NOT NULL
    GROUP BY period, pseudonym
)
SELECT
    period
    , pseudonym
    , CAST(ROW_NUMBER() OVER (ORDER BY period, pseudonym) AS INTEGER) AS number
    , COUNT(*) OVER (PARTITION BY period) AS pseudonyms
FROM pseudonyms

-- name: evidence_users
-- Numbers the users known to the attacker.
--
-- definition: "number" follows the user
--
-- takes: table
-- parameter known_records: relation, the records that the attacker knows
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH users AS (
    SELECT user_id
    FROM {{ known_records | relation }} AS records
    WHERE user_id IS NOT NULL
    GROUP BY user_id
)
SELECT user_id, CAST(ROW_NUMBER() OVER (ORDER BY user_id) AS INTEGER) AS number
FROM users

-- name: evidence_records
-- The values of records as an attacker compares them: exactly, and on two grids, one shifted by half a step.
--
-- definition: a day falls into a week, a price and a quantity into a step of a quarter and of a half of their natural
--   logarithm; a price is the number that is written, where it is one
-- missing: a missing value agrees with nothing
--
-- takes: table
-- parameter source: relation, the records
-- parameter person: column, the claimed person of the records
-- parameter numbers: column, the numbers of these: of pseudonyms for a period each
-- parameter by_pseudonym: flag, the numbers belong to pseudonyms
-- parameter prefix: integer or none, number of compared first characters of an item
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        records.record
        , numbers.number AS person
        , records.period
        , records.day
        , COALESCE(CAST(TRY_CAST(records.clock AS TIME) AS VARCHAR), records.clock) AS clock
        , {% if prefix is none %}records.item{% else %}LEFT(records.item, {{ prefix }}){% endif %} AS item
        , COALESCE(CAST(TRY_CAST(records.price AS DECIMAL(18, 4)) AS VARCHAR), records.price) AS price
        , records.quantity
        , DATE_DIFF('day', DATE '2000-01-03', records.day) / 7 AS weeks
        , CASE WHEN TRY_CAST(records.price AS DOUBLE) > 0
            THEN LN(TRY_CAST(records.price AS DOUBLE)) / 0.25 END AS price_steps
        , CASE WHEN records.quantity > 0 THEN LN(records.quantity) / 0.5 END AS quantity_steps
    FROM {{ source | relation }} AS records
    JOIN {{ numbers | identifier }} AS numbers
        ON numbers.{{ person | identifier }}
            = records.{{ person | identifier }}{% if by_pseudonym %} AND numbers.period = records.period{% endif %}

    WHERE records.period IS NOT NULL
)
SELECT
    record
    , person
    , period
    , day
    , clock
    , item
    , price
    , quantity
{% for shift in (0, 1) %}
    , CAST(FLOOR(weeks + {{ shift }} / 2) AS BIGINT) AS day{{ shift }}
    , CAST(FLOOR(price_steps + {{ shift }} / 2) AS BIGINT) AS price{{ shift }}
    , CAST(FLOOR(quantity_steps + {{ shift }} / 2) AS BIGINT) AS quantity{{ shift }}
{% endfor %}
FROM records

-- name: evidence_columns
-- The known columns that distinguish records of a release.
--
-- definition: 1 where the release has two values or more, and a known record has one
--
-- takes: known_records, released
SELECT
{% for column in ('clock', 'day', 'item', 'price', 'quantity') %}
    {% if not loop.first %}, {% endif %}CAST(
        (SELECT COUNT(DISTINCT {{ column | identifier }}) > 1 FROM {{ released | identifier }})
        AND (SELECT COUNT({{ column | identifier }}) > 0 FROM {{ known_records | identifier }}) AS INTEGER)
            AS {{ column | identifier }}
{% endfor %}

-- name: evidence_matches
-- The pseudonyms of a period with a record that agrees with a known record, for each of several column sets.
--
-- definition: "share" is the share of the period's pseudonyms, plus one, that agree on the set; values of more than a
--   few pseudonyms carry little evidence and are left out
-- missing: a missing value agrees with nothing
--
-- takes: table, known_records, released, pseudonyms
-- parameter keys: columns, for each set its columns
-- parameter max_pseudonyms: integer, a set of values that more pseudonyms of a period have is left out
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH sizes AS (
    SELECT period, MIN(pseudonyms) AS pseudonyms
    FROM {{ pseudonyms | identifier }}
    GROUP BY period
),
{% for key in keys %}
held{{ loop.index0 }} AS (
    SELECT period, {% for column in key %}{{ column | identifier }}, {% endfor %}LIST(person) AS persons
    FROM (
        SELECT DISTINCT period, {% for column in key %}{{ column | identifier }}, {% endfor %}person
        FROM {{ released | identifier }}
    ) AS holders
    GROUP BY period{% for column in key %}, {{ column | identifier }}{% endfor %}

    HAVING COUNT(*) <= {{ max_pseudonyms }}
),
{% endfor %}
found AS (
    SELECT known.record, known.person, known.period, [known.person] AS persons, CAST(0 AS TINYINT) AS key
    FROM {{ known_records | identifier }} AS known
    WHERE FALSE
{% for key in keys %}
    UNION ALL
    SELECT known.record, known.person, known.period, held.persons, CAST({{ loop.index0 }} AS TINYINT) AS key
    FROM {{ known_records | identifier }} AS known
    JOIN held{{ loop.index0 }} AS held
        ON held.period
            = known.period{% for column in key %}
            AND held.{{ column | identifier }} = known.{{ column | identifier }}{% endfor %}

{% endfor %}
)
SELECT
    found.record
    , found.person AS user_number
    , found.key
    , LENGTH(found.persons) / (sizes.pseudonyms + 1) AS share
    , UNNEST(found.persons) AS pseudonym_number
FROM found
JOIN sizes ON sizes.period = found.period

-- name: evidence_shares
-- The share of records that still agree on a set of columns after the release.
--
-- definition: of the known records of users whose pseudonym is guessed, the share that has a match by the set under it;
--   before there is a guess, nine in ten for each set
--
-- takes: matches, known_records
-- parameter table: column, the table that is made: "key", "survival"
-- parameter guess: column or none, the pseudonym that is guessed for each user
-- parameter keys: integer, number of column sets
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
    FROM {{ known_records | identifier }} AS known
    JOIN {{ guess | identifier }} AS guess ON guess.user_number = known.person AND guess.period = known.period
)
SELECT
    keys.key
    , LEAST(0.99, GREATEST(0.0001, COALESCE(guessed.records, 0) / GREATEST(total.records, 1))) AS survival
FROM RANGE({{ keys }}) AS keys(key)
CROSS JOIN total
LEFT JOIN guessed ON guessed.key = keys.key
{% endif %}

-- name: evidence_scores
-- The evidence of a user's known records for each pseudonym of a period: log odds against chance.
--
-- definition: a set of columns on which a true record survives with probability a, and on which a share q of the
--   pseudonyms agrees, weighs ln(1 + a (1 - q) / q); a record gives each pseudonym the heaviest weight that it
--   matches by, and a user the sum over the records
--
-- takes: matches, pseudonyms
-- parameter table: column, the table that is made: "user_number", "period", "pseudonym_number", "score"
-- parameter shares: column, how often sets survive
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

-- name: evidence_pooled
-- Adds the evidence for a pseudonym in other periods to its evidence in a period.
--
-- definition: score + stability * the sum of the scores of the guesses of the same user and pseudonym in other periods,
--   for every period that the pseudonym has
--
-- takes: table, pseudonyms
-- parameter scores: column, the scores period by period
-- parameter guess: column, the guess from these
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

-- name: mutual_best
-- Assigns pseudonyms to users one to one in each period: repeatedly the pairs that are mutually best.
--
-- definition: the highest score first; of equal scores the smaller user, then the smaller pseudonym
--
-- takes: table, scores
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH RECURSIVE open AS (
    SELECT
        user_number
        , period
        , pseudonym_number
        , score
        , ROW_NUMBER() OVER (PARTITION BY user_number, period ORDER BY score DESC, pseudonym_number) = 1
            AND ROW_NUMBER() OVER (PARTITION BY pseudonym_number ORDER BY score DESC, user_number) = 1 AS mutual
    FROM {{ scores | identifier }}
    WHERE score > 0
    UNION ALL
    SELECT
        user_number
        , period
        , pseudonym_number
        , score
        , ROW_NUMBER() OVER (PARTITION BY user_number, period ORDER BY score DESC, pseudonym_number) = 1
            AND ROW_NUMBER() OVER (PARTITION BY pseudonym_number ORDER BY score DESC, user_number) = 1 AS mutual
    FROM (
        SELECT
            user_number
            , period
            , pseudonym_number
            , score
            , MAX(CAST(mutual AS INTEGER)) OVER (PARTITION BY user_number, period) AS user_done
            , MAX(CAST(mutual AS INTEGER)) OVER (PARTITION BY pseudonym_number) AS pseudonym_done
        FROM open
    ) AS examined
    WHERE user_done = 0 AND pseudonym_done = 0
)
SELECT user_number, period, pseudonym_number, score
FROM open
WHERE mutual

-- name: evidence_sharers
-- Shares an assigned pseudonym with another user if the evidence is as strong as for others.
--
-- definition: the best pseudonym of a user in a period is the one with the largest evidence; "usual" is the mean
--   evidence of a record for it where the user got it. A user who did not get it shares it if the records reach a
--   part of the usual evidence, and not this part for the pseudonym assigned instead. This takes three records, or
--   pseudonyms known to be shared: otherwise half of these users would share one. A guess without a record of the
--   period gives way to sharing users
--
-- takes: scores, known_records
-- parameter guess: column, the guess, which is made anew
-- parameter min_share: number, which part is enough
CREATE OR REPLACE TEMP TABLE {{ guess | identifier }} AS
WITH records AS (
    SELECT person AS user_number, period, COUNT(*) AS records
    FROM {{ known_records | identifier }}
    GROUP BY person, period
),
ranked AS (
    SELECT
        user_number
        , period
        , pseudonym_number
        , score
        , ROW_NUMBER() OVER (PARTITION BY user_number, period ORDER BY score DESC, pseudonym_number) AS place
    FROM {{ scores | identifier }}
),
best AS (
    SELECT
        ranked.user_number
        , ranked.period
        , ranked.pseudonym_number
        , ranked.score
        , records.records
        , COALESCE(guess.pseudonym_number = ranked.pseudonym_number, FALSE) AS is_guessed
        , COALESCE(got.score, 0) AS got
    FROM ranked
    JOIN records ON records.user_number = ranked.user_number AND records.period = ranked.period
    LEFT JOIN {{ guess | identifier }} AS guess
        ON guess.user_number = ranked.user_number AND guess.period = ranked.period
    LEFT JOIN {{ scores | identifier }} AS got
        ON got.user_number = guess.user_number AND got.pseudonym_number = guess.pseudonym_number
    WHERE ranked.place = 1
),
usual AS (
    SELECT CAST(SUM(score) AS DOUBLE) / SUM(records) AS score
    FROM best
    WHERE is_guessed
),
judged AS (
    SELECT
        best.user_number
        , best.period
        , best.pseudonym_number
        , best.score
        , best.records
        , best.score >= {{ min_share | literal }} * usual.score * best.records
            AND best.got < {{ min_share | literal }} * usual.score * best.records AS is_strong
    FROM best
    CROSS JOIN usual
    WHERE NOT best.is_guessed
),
sharing AS (
    SELECT 2 * SUM(CAST(is_strong AS INTEGER)) >= COUNT(*) AS is_usual
    FROM judged
    WHERE records >= 3
),
sharers AS (
    SELECT judged.user_number, judged.period, judged.pseudonym_number, judged.score
    FROM judged
    CROSS JOIN sharing
    WHERE judged.is_strong AND (judged.records >= 3 OR sharing.is_usual)
)
SELECT guess.user_number, guess.period, guess.pseudonym_number, guess.score
FROM {{ guess | identifier }} AS guess
LEFT JOIN sharers AS own ON own.user_number = guess.user_number AND own.period = guess.period
LEFT JOIN records ON records.user_number = guess.user_number AND records.period = guess.period
LEFT JOIN (SELECT DISTINCT pseudonym_number FROM sharers) AS shared ON shared.pseudonym_number = guess.pseudonym_number
WHERE own.user_number IS NULL AND (records.records IS NOT NULL OR shared.pseudonym_number IS NULL)
UNION ALL
SELECT user_number, period, pseudonym_number, score
FROM sharers

-- name: pseudonym_stability
-- The number of recurring pseudonyms guessed to belong to the same user again.
--
-- definition: over the guesses for a pseudonym, each compared with the guess of the last previous period
--
-- takes: pseudonyms
-- parameter guess: column, the guess
WITH guesses AS (
    SELECT
        guess.user_number
        , LAG(guess.user_number) OVER (PARTITION BY pseudonyms.pseudonym ORDER BY pseudonyms.period) AS before
    FROM {{ guess | identifier }} AS guess
    JOIN {{ pseudonyms | identifier }} AS pseudonyms ON pseudonyms.number = guess.pseudonym_number
)
SELECT COALESCE(CAST(SUM(CASE WHEN before = user_number THEN 1 ELSE 0 END) AS DOUBLE) / NULLIF(COUNT(before), 0), 0)
    AS stability
FROM guesses

-- name: guessed_names
-- Writes a guess with the names of users and pseudonyms.
-- takes: pseudonyms
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym"
-- parameter guess: column, the numbers
-- parameter users: column, the users and their numbers
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT users.user_id, guess.period, pseudonyms.pseudonym
FROM {{ guess | identifier }} AS guess
JOIN {{ users | identifier }} AS users ON users.number = guess.user_number
JOIN {{ pseudonyms | identifier }} AS pseudonyms ON pseudonyms.number = guess.pseudonym_number
