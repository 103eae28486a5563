-- count_listed
-- How many different records a table lists.
--
-- portable: yes
--
-- parameter source: relation, the table
SELECT COUNT(DISTINCT record) AS found FROM {{ source | relation }} AS listed
