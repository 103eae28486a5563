-- unions_of_sets
-- The attributes of the sets of each batch together, in the order of the batches.
--
-- portable: no
--
-- parameter sets: column, the table of the sets
-- parameter first: integer, the number of the first
-- parameter last: integer, the number of the last
-- parameter most: integer, sets of a batch at most
SELECT BIT_OR(mask) AS mask
FROM {{ sets | identifier }}
WHERE number BETWEEN {{ first | literal }} AND {{ last | literal }}
GROUP BY (number - {{ first | literal }}) // {{ most | literal }}
ORDER BY MIN(number)
