-- union_of_sets
-- The attributes of some sets together.
--
-- portable: yes
--
-- parameter sets: column, the table of the sets
-- parameter first: integer, the number of the first
-- parameter last: integer, the number of the last
SELECT BIT_OR(mask) AS mask
FROM {{ sets | identifier }}
WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
