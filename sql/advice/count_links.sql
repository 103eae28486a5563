-- count_links
-- The links between records of the same user, in the table as it is.
--
-- portable: yes
SELECT CAST(COALESCE(SUM(records), 0) - COUNT(DISTINCT person) AS BIGINT) AS links FROM advice_people
