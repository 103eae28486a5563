-- rest_counts
-- How many values each of the columns has that no treatment changes; a missing one is a value.
--
-- portable: no
--
-- parameter values: relation, the different combinations of their values
-- parameter columns: integer, how many columns these are
SELECT [{% for i in range(columns) %}COUNT(DISTINCT value.r{{ i }}) + MAX(CASE WHEN value.r{{ i }} IS NULL THEN 1 ELSE 0 END){% if not loop.last %}, {% endif %}{% endfor %}] AS counts
FROM {{ values | relation }} AS different
