-- cell_means
-- The mean and the mean square of what each cell of a column of numbers covers, between 0 and 1.
--
-- definition: 0 is the smallest number of the original and 1 its largest; the values that a cell covers count alike
-- missing: left out; so is a cell that covers nothing
-- portable: no
--
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the cells with what they cover
-- parameter reach: column, the cells of each value, those of sets, labels and prefixes among them
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT code, place FROM {{ leaves | identifier }} WHERE place IS NOT NULL AND isfinite(place)
),
scaled AS (
    SELECT
        code,
        CAST(COALESCE((place - MIN(place) OVER ()) / NULLIF(MAX(place) OVER () - MIN(place) OVER (), 0), 0) AS DECIMAL(38, 18)) AS x
    FROM leaves
),
running AS (
    SELECT
        code,
        ROW_NUMBER() OVER (ORDER BY code) AS number,
        x,
        SUM(x) OVER (ORDER BY code) AS sum,
        CAST(CAST(x AS DOUBLE) * CAST(x AS DOUBLE) AS DECIMAL(38, 18)) AS square
    FROM scaled
),
summed AS (
    SELECT code, number, x, sum, square, SUM(square) OVER (ORDER BY code) AS squares
    FROM running
)
SELECT
    cells.value,
    CAST(CAST(until.sum - since.sum + since.x AS DOUBLE) / (until.number - since.number + 1) AS DECIMAL(38, 18)) AS mean,
    CAST(CAST(until.squares - since.squares + since.square AS DOUBLE) / (until.number - since.number + 1) AS DECIMAL(38, 18)) AS square
FROM {{ cells | identifier }} AS cells
JOIN summed AS since ON since.code = cells.first
JOIN summed AS until
    ON until.code = CASE WHEN cells.layer = 'all' THEN (SELECT MAX(code) FROM summed) ELSE cells.last END
WHERE cells.layer = 'all' OR cells.last - cells.first + 1 = cells.size
UNION ALL
-- Sets and labels of numbers that are not neighbours.
SELECT
    cells.value,
    CAST(CAST(SUM(scaled.x) AS DOUBLE) / COUNT(*) AS DECIMAL(38, 18)),
    CAST(CAST(SUM(CAST(CAST(scaled.x AS DOUBLE) * CAST(scaled.x AS DOUBLE) AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS DECIMAL(38, 18))
FROM {{ cells | identifier }} AS cells
JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
JOIN scaled ON scaled.code = reach.code
WHERE cells.layer <> 'all' AND cells.last - cells.first + 1 > cells.size
GROUP BY cells.cell, cells.value
