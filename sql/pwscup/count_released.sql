-- count_released
-- How many records of a release are left, and how many of them have a user of the original as pseudonym.
--
-- missing: a record without a pseudonym is deleted
-- portable: yes
--
-- parameter source: relation, the release
-- parameter user: column, its pseudonyms
-- parameter users: relation, the users of the original
SELECT COUNT(released.{{ user | identifier }}) AS "left", COUNT(users.user_id) AS customers
FROM {{ source | relation }} AS released
LEFT JOIN {{ users | relation }} AS users ON users.user_id = released.{{ user | identifier }}
