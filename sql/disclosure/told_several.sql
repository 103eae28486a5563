-- told_several
-- How many users have more than one value of the sensitive attribute.
--
-- portable: yes
SELECT COUNT(*) AS users
FROM (SELECT member FROM told_values GROUP BY member HAVING COUNT(*) > 1) AS several
