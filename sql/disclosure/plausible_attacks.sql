-- plausible_attacks
-- The four attacks of El Emam, from measured risks.
--
-- source: El Emam, Arbuckle, Anonymizing Health Data, 2013, chapter 2
-- runs: finish

-- name: plausible_attacks
-- The four attacks of El Emam: the probability of an attempt and of its success.
--
-- definition: overall risk = probability of an attempt * probability of re-identification given it. The probability
--   of an attempt is, deliberate: by the recipient's controls and motives, high controls 0.05, 0.1, 0.2 for low,
--   medium, high motives, medium controls 0.2, 0.3, 0.4, low controls 0.4, 0.5, 0.6; inadvertent: 1 - (1 - p)^m, that
--   one of the recipient's m acquaintances is in the table's population, p of all people; breach: its probability in
--   a year; public: 1.
-- source: El Emam, Arbuckle, Anonymizing Health Data, 2013, chapter 2; El Emam, Guide to the de-identification of
--   personal health information, 2013, pages 208 to 213; IPC Ontario, De-identification guidelines for structured
--   data, 2016, step 5; named by Ito, section 1
-- missing: where nobody says how rare such people are, p is 1: a recipient knows one of them
-- read: a table for known recipients is judged by the largest of the first three, a published one by the last, and by
--   its highest risk. The chances are judgements, not measurements: state them with the figures.
--
-- parameter risks: relation, one row as reidentification_risk gives it: columns average_risk and highest_risk
-- parameter controls: text, the recipient's controls of privacy and security: low, medium or high
-- parameter motives: text, the recipient's motives and capacity to re-identify: low, medium or high
-- parameter prevalence: number, p
-- parameter acquaintances: integer, m; 150 is Dunbar's number
-- parameter breach: number, the chance of a breach in a year
--
-- column attack: VARCHAR, name, deliberate, inadvertent, breach or public
-- column attempt: DOUBLE, probability, of an attempt
-- column average_risk: DOUBLE, probability, overall, of the mean record
-- column highest_risk: DOUBLE, probability, overall, of the record that is found most easily
WITH found AS (
    SELECT average_risk, highest_risk
    FROM {{ risks | relation }}
),
attempts AS (
    SELECT controls, motives, attempt
    FROM (
        VALUES
            ('high', 'low', 0.05), ('high', 'medium', 0.1), ('high', 'high', 0.2),
            ('medium', 'low', 0.2), ('medium', 'medium', 0.3), ('medium', 'high', 0.4),
            ('low', 'low', 0.4), ('low', 'medium', 0.5), ('low', 'high', 0.6)
    ) AS judged (controls, motives, attempt)
),
chances AS (
    SELECT 1 AS place, 'deliberate' AS attack, CAST(attempt AS DOUBLE) AS attempt
    FROM attempts
    WHERE controls = {{ controls | literal }} AND motives = {{ motives | literal }}
    UNION ALL
    SELECT 2, 'inadvertent', 1 - POWER(1 - CAST({{ prevalence | literal }} AS DOUBLE), {{ acquaintances | literal }})
    UNION ALL
    SELECT 3, 'breach', CAST({{ breach | literal }} AS DOUBLE)
    UNION ALL
    SELECT 4, 'public', CAST(1 AS DOUBLE)
)
SELECT
    chances.attack,
    chances.attempt,
    chances.attempt * found.average_risk AS average_risk,
    chances.attempt * found.highest_risk AS highest_risk
FROM chances CROSS JOIN found
ORDER BY chances.place

-- name: record_risks
-- Two risks as a relation of one row.
-- parameter average_risk: number or none, of the mean record
-- parameter highest_risk: number or none, of the record that is found most easily
(SELECT CAST({{ average_risk | literal }} AS DOUBLE) AS average_risk,
    CAST({{ highest_risk | literal }} AS DOUBLE) AS highest_risk)
