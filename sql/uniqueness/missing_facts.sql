-- missing_facts
-- How many cells of each attribute are missing, in the order of the attributes.
--
-- portable: no
--
-- parameter attributes: integer, how many attributes there are
SELECT [{% for place in range(attributes) %}COUNT(CASE WHEN h{{ place }} = hash(NULL) THEN 1 END){% if not loop.last %}, {% endif %}{% endfor %}] AS cells
FROM fact_values
