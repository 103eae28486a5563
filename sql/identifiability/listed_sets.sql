-- listed_sets
-- Some sets by their numbers.
--
-- portable: yes
--
-- parameter sets: column, the table of the sets
-- parameter first: integer, the number of the first
-- parameter last: integer, the number of the last
SELECT * FROM {{ sets | identifier }} WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }} ORDER BY number
