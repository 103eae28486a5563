-- score_of_guess
-- How many guesses are members, and what is wrong with a guess.
--
-- definition: a hit is a guessed record that is a member; accuracy = hits / guesses; lift = accuracy / (members / population)
-- source: PWS Cup 2020, scoring
-- missing: no_number are cells that hold no whole number; no lift without members
-- portable: yes
--
-- parameter guess: relation, the guessed records
-- parameter groups: relation, the population and its members
-- parameter population: integer, records
-- parameter members: integer, of them
WITH matched AS (
    SELECT guess.record, COALESCE(groups.members, 0) AS members
    FROM {{ guess | relation }} AS guess
    LEFT JOIN {{ groups | relation }} AS groups ON groups.record = guess.record AND groups.copies > 0
),
counted AS (
    SELECT
        COUNT(*) AS guesses,
        COUNT(*) - COUNT(record) AS no_number,
        COUNT(CASE WHEN record < 0 OR record >= {{ population }} THEN 1 END) AS outside,
        COUNT(record) - COUNT(DISTINCT record) AS repeated,
        COUNT(CASE WHEN members > 0 THEN 1 END) AS hits
    FROM matched
)
SELECT
    guesses,
    no_number,
    outside,
    repeated,
    hits,
    CAST(hits AS DOUBLE) / NULLIF(guesses, 0) AS accuracy,
    CAST(hits AS DOUBLE) * {{ population }} / NULLIF(CAST(guesses AS DOUBLE) * {{ members }}, 0) AS lift
FROM counted
