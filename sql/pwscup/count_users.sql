-- count_users
-- How many users there are, and whether all of them are whole numbers.
--
-- portable: no
--
-- parameter users: relation, the users
SELECT
    COUNT(*) AS users
    , CAST(COUNT(*) = COUNT(CASE WHEN REGEXP_FULL_MATCH(user_id, '\d{1,30}') THEN 1 END) AS INTEGER) AS numeric
FROM {{ users | relation }} AS users
