-- count_codes
-- How many values each category has in the table of codes.
--
-- portable: yes
--
-- parameter codes: relation, the table of codes
SELECT place, COUNT(*) AS codes
FROM {{ codes | relation }} AS codes
GROUP BY place
ORDER BY place
