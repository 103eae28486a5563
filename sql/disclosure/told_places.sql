-- told_places
-- How many pairs of a group and a value of the table there are.
--
-- portable: yes
SELECT
    (SELECT COUNT(DISTINCT class) FROM told_members) * (SELECT COUNT(DISTINCT value) FROM told_values) AS places
