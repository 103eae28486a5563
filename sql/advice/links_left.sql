-- links_left
-- How many records can still be linked to another one of the same user.
--
-- definition: a record is linked to the one before it that has the same pseudonym, so there are as many links as records
--   less pseudonyms; "links" is their share of those that the users make in the table as it is
-- source: our own
-- portable: yes
--
-- parameter whole: integer, the links in the table as it is
SELECT
    COUNT(*) AS users,
    CAST(COALESCE(SUM(records), 0) - COUNT(*) AS DOUBLE) / NULLIF({{ whole }}, 0) AS links
FROM persons
