-- evidence_sharers
-- Guesses for users who are left over pseudonyms that are taken, where the evidence is as strong as that of others.
--
-- definition: a user without a pseudonym, whose known records of the period say for one that is taken nearly what those of
--   others say on average, shares it. Three records are needed, or pseudonyms that are shared: half of the users left
--   over, with three records, say as much
-- portable: no
--
-- parameter guess: column, the guess, which is added to
-- parameter scores: column, the scores of pairs
-- parameter known: column, the known records as they are compared
-- parameter least: number, which part of the average is enough
INSERT INTO {{ guess | identifier }}
WITH records AS (
    SELECT person AS user_number, period, COUNT(*) AS records
    FROM {{ known | identifier }}
    GROUP BY person, period
),
average AS (
    SELECT CAST(SUM(scores.score) AS DOUBLE) / SUM(records.records) AS score
    FROM {{ guess | identifier }} AS guess
    JOIN {{ scores | identifier }} AS scores
        ON scores.user_number = guess.user_number AND scores.pseudonym_number = guess.pseudonym_number
    JOIN records ON records.user_number = guess.user_number AND records.period = guess.period
),
ranked AS (
    SELECT
        scores.user_number
        , scores.period
        , scores.pseudonym_number
        , scores.score
        , records.records
        , ROW_NUMBER() OVER (
            PARTITION BY scores.user_number, scores.period
            ORDER BY scores.score DESC, scores.pseudonym_number) AS place
    FROM {{ scores | identifier }} AS scores
    JOIN records ON records.user_number = scores.user_number AND records.period = scores.period
    LEFT JOIN {{ guess | identifier }} AS guess
        ON guess.user_number = scores.user_number AND guess.period = scores.period
    WHERE guess.user_number IS NULL
),
strong AS (
    SELECT
        ranked.user_number
        , ranked.period
        , ranked.pseudonym_number
        , ranked.score
        , ranked.records
        , ranked.score >= {{ least | literal }} * average.score * ranked.records AS is_strong
    FROM ranked
    CROSS JOIN average
    WHERE ranked.place = 1
),
sharing AS (
    SELECT 2 * SUM(CAST(is_strong AS INTEGER)) >= COUNT(*) AS is_usual
    FROM strong
    WHERE records >= 3
)
SELECT strong.user_number, strong.period, strong.pseudonym_number, strong.score
FROM strong
CROSS JOIN sharing
WHERE strong.is_strong AND (strong.records >= 3 OR sharing.is_usual)
