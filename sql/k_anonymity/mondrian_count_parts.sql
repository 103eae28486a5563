-- mondrian_count_parts
-- How many groups were cut.
--
-- portable: yes
SELECT COUNT(*) AS parts
FROM quasi_parts
