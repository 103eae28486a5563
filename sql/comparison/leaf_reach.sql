-- leaf_reach
-- Whether each value of the original falls into one cell of the release at most, as where a column was recoded as a whole.
--
-- definition: cells that cover everything count as well
-- portable: no
--
-- parameter table: column, the cell of each value in each way
-- parameter cells: column, the cells with what they cover
WITH pairs AS (
    SELECT COUNT(*) AS pairs, COUNT(DISTINCT code) AS leaves FROM {{ table | identifier }}
),
everything AS (
    SELECT COUNT(*) AS cells FROM {{ cells | identifier }} WHERE layer = 'all'
)
SELECT pairs.pairs = pairs.leaves AND (everything.cells = 0 OR pairs.pairs = 0) AS disjoint
FROM pairs, everything
