-- count_points
-- How many different records there are.
--
-- portable: no
--
-- parameter points: relation, the records as vectors
SELECT COUNT(DISTINCT vector) AS points
FROM {{ points | relation }} AS points
