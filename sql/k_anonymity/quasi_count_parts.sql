-- quasi_count_parts
-- How many new groups there are, and how many tuples the largest has of those still to be split.
--
-- portable: yes
SELECT COUNT(*) AS parts, COALESCE(MAX(CASE WHEN open THEN tuples END), 0) AS tuples
FROM quasi_parts
