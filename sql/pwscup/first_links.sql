-- first_links
-- The first links of a guess.
--
-- definition: in the order of users and periods
-- portable: yes
--
-- parameter guess: relation, the guess
-- parameter most: integer, how many are shown
SELECT user_id AS user, period, pseudonym
FROM {{ guess | relation }} AS guess
ORDER BY user_id, period
LIMIT {{ most }}
