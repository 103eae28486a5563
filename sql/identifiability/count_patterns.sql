-- count_patterns
-- Counts the patterns of missing values among the open persons.
--
-- portable: yes
SELECT COUNT(DISTINCT missing) AS patterns FROM open_persons
