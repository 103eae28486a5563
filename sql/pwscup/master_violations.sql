-- master_violations
-- What of a master table is wrong, a row for each user.
--
-- definition: users that are listed again, records without a user, and users of the original that are not listed
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the master table
-- parameter original: relation, the original as a standard history
INSERT INTO {{ name | identifier }}
SELECT 'repeated' AS violated, NULL AS record, user_id AS value
FROM {{ source | relation }} AS listed
WHERE user_id IS NOT NULL
GROUP BY user_id
HAVING COUNT(*) > 1
UNION ALL
SELECT 'nobody', NULL, NULL
FROM {{ source | relation }} AS listed
WHERE user_id IS NULL
UNION ALL
SELECT 'unlisted', NULL, user_id
FROM (SELECT DISTINCT user_id FROM {{ original | relation }} AS original) AS users
WHERE user_id NOT IN (SELECT user_id FROM {{ source | relation }} AS listed WHERE user_id IS NOT NULL)
