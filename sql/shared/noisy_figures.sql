-- noisy_figures
-- The figures of attacks by noisy knowledge with their intervals; reads counted, shares and halves.

ends AS (
    SELECT place, side, (low + high) / 2 AS value
    FROM halves
    WHERE step = 60
),
intervals AS (
    SELECT
        shares.place,
        CAST(shares.successes AS DOUBLE) / NULLIF(shares.trials, 0) AS share,
        COALESCE(MAX(CASE WHEN ends.side = 0 THEN ends.value END), 0) AS lower,
        1 - COALESCE(MAX(CASE WHEN ends.side = 1 THEN ends.value END), 0) AS upper
    FROM shares
    LEFT JOIN ends ON ends.place = shares.place
    GROUP BY shares.place, shares.successes, shares.trials
)
SELECT
    CAST(counted.known AS INTEGER) AS known_facts,
    CAST(counted.wrong_percent AS INTEGER) AS wrong_percent,
    counted.targets AS attacked,
    counted.eligible,
    counted.candidates,
    1 / CAST(counted.candidates AS DOUBLE) AS blind_chance,
    counted.best_right,
    best.share AS best_right_share,
    best.lower AS best_right_lower,
    best.upper AS best_right_upper,
    counted.answered,
    answers.share AS answered_share,
    answers.lower AS answered_lower,
    answers.upper AS answered_upper,
    counted.right_answers,
    right_ones.share AS right_share,
    right_ones.lower AS right_lower,
    right_ones.upper AS right_upper,
    counted.answered - counted.right_answers AS wrong_answers,
    1 - right_ones.share AS wrong_share,
    1 - right_ones.upper AS wrong_lower,
    1 - right_ones.lower AS wrong_upper,
    counted.targets - counted.answered AS withheld,
    1 - answers.share AS withheld_share,
    1 - answers.upper AS withheld_lower,
    1 - answers.lower AS withheld_upper
FROM counted
JOIN intervals AS best ON best.place = 1000 * counted.known + 10 * counted.wrong_percent
JOIN intervals AS answers ON answers.place = 1000 * counted.known + 10 * counted.wrong_percent + 1
JOIN intervals AS right_ones ON right_ones.place = 1000 * counted.known + 10 * counted.wrong_percent + 2
ORDER BY known_facts, wrong_percent
