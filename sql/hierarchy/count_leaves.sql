-- count_leaves
-- How many values the table of a hierarchy covers.
--
-- portable: yes
--
-- parameter name: column, the table
SELECT COUNT(*) AS leaves
FROM {{ name | identifier }}
