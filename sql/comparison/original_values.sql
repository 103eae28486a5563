-- original_values
-- How many different values a column of the original has, a missing one among them.
--
-- portable: yes
--
-- parameter table: column, the numbered values
SELECT COUNT(*) AS leaves FROM {{ table | identifier }}
