-- evidence_sharers
-- Gives users a pseudonym that is taken, where the evidence for it is as strong as that of others and for theirs is weak.
--
-- definition: the best pseudonym of a user in a period is the one that the user's known records of the period say most for;
--   "usual" is what a record says for it on average where the user got it. A user who did not get it shares it where the
--   records say a part of what is usual for it, and not this part of that for the one the user got instead. Three records
--   are needed, or pseudonyms that are shared: of those who did not get it, with three records, half would share. Who is
--   guessed without a record of the period gives way to those who share
-- portable: no
--
-- parameter guess: column, the guess, which is made anew
-- parameter scores: column, the scores of pairs
-- parameter known: column, the known records as they are compared
-- parameter least: number, which part is enough
CREATE OR REPLACE TEMP TABLE {{ guess | identifier }} AS
WITH records AS (
    SELECT person AS user_number, period, COUNT(*) AS records
    FROM {{ known | identifier }}
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
        , best.score >= {{ least | literal }} * usual.score * best.records
            AND best.got < {{ least | literal }} * usual.score * best.records AS is_strong
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
