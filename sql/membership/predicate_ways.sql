-- predicate_ways
-- By which attributes records are looked up for predicates.
--
-- portable: yes
--
-- parameter boxes: relation, the predicates
SELECT CAST(way AS INTEGER) AS way
FROM {{ boxes | relation }} AS boxes
GROUP BY way
ORDER BY way
