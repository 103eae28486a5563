-- guess_hits
-- How many of the first guesses of an attack are members, and how many chance would hit.
--
-- definition: expected = guesses * members / candidates; chance: the probability that as many hits or more come of
--   guesses drawn without looking (hypergeometric)
-- source: PWS Cup 2020, scoring
-- missing: without guesses there are no hits
-- portable: no
--
-- parameter scores: relation, record and place of every candidate
-- parameter members: relation, the members' places in the population
-- parameter guesses: integer, how many of the first places are guessed
WITH sizes AS (
    SELECT
        (SELECT COUNT(*) FROM {{ scores | relation }} AS scores) AS candidates
        , (SELECT COUNT(*) FROM {{ members | relation }} AS members) AS members
        , LEAST({{ guesses | literal }}, (SELECT COUNT(*) FROM {{ scores | relation }} AS scores)) AS guesses
        , (
            SELECT COUNT(*)
            FROM {{ scores | relation }} AS scores
            JOIN {{ members | relation }} AS members ON members.record = scores.record
            WHERE scores.place <= {{ guesses | literal }}
        ) AS hits
),
outcomes AS (
    SELECT sizes.*, UNNEST(RANGE(hits, LEAST(guesses, members) + 1)) AS reached
    FROM sizes
),
possible AS (
    SELECT outcomes.*
    FROM outcomes
    WHERE guesses - reached <= candidates - members
),
logs AS (
    SELECT
        LGAMMA(members + 1.0) - LGAMMA(reached + 1.0) - LGAMMA(members - reached + 1.0)
        + LGAMMA(candidates - members + 1.0) - LGAMMA(guesses - reached + 1.0) - LGAMMA(candidates - members - guesses + reached + 1.0)
        - LGAMMA(candidates + 1.0) + LGAMMA(guesses + 1.0) + LGAMMA(candidates - guesses + 1.0) AS log_probability
    FROM possible
)
SELECT
    sizes.candidates
    , sizes.members
    , sizes.guesses
    , sizes.hits
    , CAST(sizes.guesses AS DOUBLE) * sizes.members / NULLIF(sizes.candidates, 0) AS expected
    , CAST(sizes.hits AS DOUBLE) / NULLIF(sizes.guesses, 0) AS accuracy
    , CAST(sizes.hits AS DOUBLE) * sizes.candidates / NULLIF(CAST(sizes.guesses AS DOUBLE) * sizes.members, 0) AS lift
    , LEAST(1.0, (SELECT COALESCE(LIST_SUM(LIST(EXP(log_probability) ORDER BY log_probability)), 0) FROM logs)) AS chance
FROM sizes
