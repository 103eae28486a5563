-- noisy_counted
-- What attackers answer, by what they know; reads attackers, candidates and scores without candidates of 0 points.

judged AS (
    SELECT
        target,
        known,
        wrong,
        MAX(score) AS best,
        -- The second of several equal ones is as good.
        GREATEST(COALESCE(MAX(score, 2)[2], 0), COALESCE(MAX(CASE WHEN copies > 1 THEN score END), 0)) AS second,
        MAX(CASE WHEN is_own THEN score END) AS own_score,
        CAST(SUM(copies * score) AS DOUBLE) AS total,
        CAST(SUM(copies * CAST(score AS HUGEINT) * score) AS DOUBLE) AS squares
    FROM scores
    GROUP BY target, known, wrong
),
answers AS (
    SELECT
        target,
        known,
        wrong,
        COALESCE(own_score = best AND second < best, FALSE) AS is_right,
        -- Nobody stands out from nobody else.
        candidates > 1
            AND best - second
            > 1.5 * SQRT(GREATEST(0, squares / candidates - (total / candidates) * (total / candidates)))
            AS is_answered
    FROM judged
    CROSS JOIN candidates
),
counted AS MATERIALIZED (
    SELECT
        attackers.known,
        attackers.wrong_percent,
        COUNT(*) AS targets,
        ANY_VALUE(attackers.eligible) AS eligible,
        ANY_VALUE(candidates.candidates) AS candidates,
        COUNT(*) FILTER (answers.is_right) AS best_right,
        COUNT(*) FILTER (answers.is_answered) AS answered,
        COUNT(*) FILTER (answers.is_answered AND answers.is_right) AS right_answers
    FROM attackers
    CROSS JOIN candidates
    LEFT JOIN answers ON answers.target = attackers.target AND answers.known = attackers.known
        AND answers.wrong = attackers.wrong
    GROUP BY attackers.known, attackers.wrong_percent
),
shares AS MATERIALIZED (
    SELECT 1000 * known + 10 * wrong_percent + measure AS place, successes, trials, 0.025 AS alpha
    FROM (
        SELECT known, wrong_percent, 0 AS measure, best_right AS successes, targets AS trials FROM counted
        UNION ALL
        SELECT known, wrong_percent, 1, answered, targets FROM counted
        UNION ALL
        SELECT known, wrong_percent, 2, right_answers, answered FROM counted
    ) AS listed
),
