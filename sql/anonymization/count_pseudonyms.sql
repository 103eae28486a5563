-- count_pseudonyms
-- How many users have how many pseudonyms.
--
-- portable: yes
--
-- parameter source: relation, the users and their pseudonyms
SELECT
    COUNT(DISTINCT person) AS users
    , COUNT(DISTINCT pseudonym) AS pseudonyms
    , COUNT(*) AS pairs
FROM {{ source | relation }} AS pseudonyms
