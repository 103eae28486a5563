-- count_points
-- How many records there are and how many differ, and how far from 0 a number is at most.
--
-- portable: yes
--
-- parameter cells: relation, the records that differ, and how many times each is there
-- parameter numeric: columns, those of numbers
SELECT
    CAST(SUM(times) AS BIGINT) AS records
    , COUNT(*) AS points
    , GREATEST(0.0{% for column in numeric %}, MAX(ABS({{ column | identifier }})){% endfor %}) AS largest
FROM {{ cells | relation }} AS cells
