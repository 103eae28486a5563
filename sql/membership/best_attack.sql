-- best_attack
-- What the best attack says of a submission.
--
-- definition: safety = 1 - the largest accuracy; its p-value times the number of attacks, at most 1 (Bonferroni), since the
--   best of several is a matter of luck too
-- source: PWS Cup 2020, scoring; the correction is our own
-- missing: no attack leaves all but the number of attacks open
-- portable: no
--
-- parameter hits: integers, of each attack
-- parameter guesses: integers, of each attack
-- parameter p_values: texts, of each attack
WITH attacks AS (
    SELECT
        UNNEST(CAST({{ hits | literal }} AS BIGINT[])) AS hits,
        UNNEST(CAST({{ guesses | literal }} AS BIGINT[])) AS guesses,
        UNNEST(CAST({{ p_values | literal }} AS DOUBLE[])) AS p_value
)
SELECT
    COUNT(*) AS attacks,
    MAX(CAST(hits AS DOUBLE) / guesses) AS accuracy,
    CAST(MIN(CAST(guesses - hits AS DOUBLE) / guesses) AS DOUBLE) AS safety,
    LEAST(1, MIN(p_value) * COUNT(*)) AS p_value
FROM attacks
