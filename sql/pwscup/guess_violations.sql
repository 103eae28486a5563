-- guess_violations
-- What of a guess does not go with the users of the original, a row for each line or user.
--
-- definition: users without a line; lines of nobody; lines of a user who has one already; lines that are not in the order of
--   the users: by number where all users are whole numbers, else by text
-- source: the check of the contest of 2017
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the lines of the guess
-- parameter users: relation, the users
-- parameter order: expression, what users are ordered by
INSERT INTO {{ name | identifier }}
WITH rows AS (
    SELECT record, user_id FROM {{ source | relation }} AS guessed
),
users AS (
    SELECT user_id FROM {{ users | relation }} AS users
),
ranked AS (
    SELECT user_id, ROW_NUMBER() OVER (ORDER BY {{ order | expression }}) AS rank
    FROM users
),
placed AS (
    SELECT rows.record, rows.user_id, ranked.rank, LAG(ranked.rank) OVER (ORDER BY rows.record) AS before
    FROM rows
    JOIN ranked ON ranked.user_id = rows.user_id
)
SELECT 'missing' AS violated, NULL AS record, users.user_id AS value
FROM users
LEFT JOIN rows ON rows.user_id = users.user_id
WHERE rows.user_id IS NULL
UNION ALL
SELECT 'unknown', rows.record, rows.user_id
FROM rows
LEFT JOIN users ON users.user_id = rows.user_id
WHERE users.user_id IS NULL
UNION ALL
SELECT 'repeated', record, user_id
FROM (
    SELECT record, user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY record) AS time
    FROM rows
) AS timed
WHERE time > 1
UNION ALL
SELECT 'sorted', record, user_id FROM placed WHERE before > rank
