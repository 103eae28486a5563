-- count_open
-- Counts the open combinations of a class.
--
-- portable: yes
--
-- parameter class: integer, the bit of the class
SELECT COUNT(*) AS combinations
FROM open_persons
WHERE (classes & {{ class | literal }}) <> 0
