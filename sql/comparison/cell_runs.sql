-- cell_runs
-- The runs of neighbouring values that each cell of a column of a release covers.
--
-- definition: an interval is one run; a label, a prefix or a set may be several
-- portable: no
--
-- parameter cells: column, the cells with what they cover
-- parameter reach: column, the cells of each value, for ways that are no intervals
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH stepped AS (
    SELECT cell, code, code - ROW_NUMBER() OVER (PARTITION BY cell ORDER BY code) AS island
    FROM {{ reach | identifier }}
),
islands AS (
    SELECT cell, MIN(code) AS first, MAX(code) AS last
    FROM stepped
    GROUP BY cell, island
)
SELECT cell, first, last, ROW_NUMBER() OVER (PARTITION BY cell ORDER BY first) AS run
FROM islands
UNION ALL
SELECT cell, first, last, 1
FROM {{ cells | identifier }}
WHERE layer = 'all' OR layer LIKE 'interval %'
