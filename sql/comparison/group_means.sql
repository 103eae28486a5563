-- group_means
-- The mean of a column of numbers in each category of another column, where a cell stands for all that it covers alike.
--
-- definition: a record counts in each category that its cell covers, by the share of that in what the cell covers;
--   numbers are taken as a part of the largest, signs aside
-- missing: records with a missing number, and those that name no category, are left out
-- portable: no
--
-- parameter source: relation, the table
-- parameter category: column, what the categories are of
-- parameter number: column, what the means are of
-- parameter leaves: column, the numbered categories of the original
-- parameter reach: column, the cell of each category in each way of generalising
-- parameter cells: column, the cells of the categories
-- parameter means: column, the means of the cells of the numbers
-- parameter numbers: column, the numbered numbers of the original
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ category | identifier }} AS a, {{ number | identifier }} AS b
    FROM {{ source | relation }}
),
pairs AS (
    SELECT a, b, COUNT(*) AS records
    FROM records
    GROUP BY a, b
),
ends AS (
    SELECT MIN(place) AS low, MAX(place) AS high, GREATEST(ABS(MIN(place)), ABS(MAX(place))) AS largest
    FROM {{ numbers | identifier }}
    WHERE isfinite(place)
),
covered AS (
    SELECT cells.value, reach.code, cells.size
    FROM {{ cells | identifier }} AS cells
    JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
    UNION ALL
    SELECT cells.value, leaves.code, cells.size
    FROM {{ cells | identifier }} AS cells, {{ leaves | identifier }} AS leaves
    WHERE cells.layer = 'all'
    UNION ALL
    SELECT cells.value, leaves.code, cells.size
    FROM {{ cells | identifier }} AS cells
    JOIN {{ leaves | identifier }} AS leaves ON leaves.code BETWEEN cells.first AND cells.last
    WHERE cells.layer LIKE 'interval %'
        AND NOT EXISTS (SELECT 1 FROM {{ reach | identifier }} AS known WHERE known.cell = cells.cell)
)
SELECT
    covered.code,
    CAST(SUM(pairs.records * CAST(1.0 / CAST(covered.size AS DOUBLE) AS DECIMAL(38, 18))) AS DOUBLE) AS weight,
    CAST(SUM(pairs.records * CAST(
        COALESCE((ends.low + (ends.high - ends.low) * CAST(means.mean AS DOUBLE)) / NULLIF(ends.largest, 0), 0) / covered.size
        AS DECIMAL(38, 18))) AS DOUBLE) AS total
FROM pairs
CROSS JOIN ends
JOIN {{ means | identifier }} AS means ON means.value = pairs.b
JOIN covered ON (covered.value IS NOT DISTINCT FROM pairs.a)
JOIN {{ leaves | identifier }} AS named ON named.code = covered.code AND named.value IS NOT NULL
GROUP BY covered.code
