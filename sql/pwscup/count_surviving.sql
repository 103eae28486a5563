-- count_surviving
-- How many records of a release were not deleted.
--
-- portable: yes
--
-- parameter source: relation, the release as a standard table
SELECT COUNT(pseudonym) AS records
FROM {{ source | relation }} AS released
