-- quasi_count_parts
-- How many new groups there are, and how many of them are still to be split.
--
-- portable: yes
SELECT COUNT(*) AS parts, COUNT(CASE WHEN open THEN 1 END) AS open
FROM quasi_parts
