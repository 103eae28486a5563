-- guess_hits
-- How many of the first guesses of an attack are members.
--
-- definition: accuracy = hits / guesses; lift = accuracy / (members / candidates)
-- source: PWS Cup 2020, scoring
-- missing: members that were not scored are not counted; no lift without members
-- portable: yes
--
-- parameter scores: relation, record and place of every candidate
-- parameter members: relation, the members' places in the population
-- parameter guesses: integer, how many of the first places are guessed
WITH counted AS (
    SELECT
        COUNT(*) AS candidates
        , COUNT(members.record) AS members
        , COUNT(CASE WHEN scores.place <= {{ guesses }} THEN 1 END) AS guesses
        , COUNT(CASE WHEN scores.place <= {{ guesses }} THEN members.record END) AS hits
    FROM {{ scores | relation }} AS scores
    LEFT JOIN {{ members | relation }} AS members ON members.record = scores.record
)
SELECT
    candidates
    , members
    , guesses
    , hits
    , CAST(hits AS DOUBLE) / NULLIF(guesses, 0) AS accuracy
    , CAST(hits AS DOUBLE) * candidates / NULLIF(CAST(guesses AS DOUBLE) * members, 0) AS lift
FROM counted
