-- count_sets
-- How many sets each tier has.
--
-- portable: yes
SELECT tier, COUNT(*) AS sets
FROM sets
GROUP BY tier
