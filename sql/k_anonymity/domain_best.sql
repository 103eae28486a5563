-- domain_best
-- The levels of the k-anonymous node that loses least, of equal ones the lowest.
--
-- portable: no
--
-- parameter heights: integers, the level of each root
SELECT [{% for height in heights %}l{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}] AS levels
FROM quasi_nodes
WHERE anonymous
ORDER BY penalty, height, node
LIMIT 1
