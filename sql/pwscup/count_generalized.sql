-- count_generalized
-- How large a release of 2018 is.
--
-- portable: yes
--
-- parameter source: relation, whom each record is of
SELECT
    COUNT(*) AS records
    , COUNT(DISTINCT customer) AS users
    , COUNT(pseudonym) AS surviving
    , COUNT(DISTINCT pseudonym) AS pseudonyms
FROM {{ source | relation }} AS records
