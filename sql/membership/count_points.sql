-- count_points
-- How many records there are and how many differ, and how far from 0 a number is at most.
--
-- portable: no
--
-- parameter points: relation, the records as vectors
-- parameter numeric: columns, those of numbers
SELECT
    COUNT(*) AS records
    , COUNT(DISTINCT vector) AS points
    , GREATEST(0.0::DOUBLE{% for column in numeric %}, MAX(ABS({{ column | identifier }})){% endfor %}) AS largest
FROM {{ points | relation }} AS points
