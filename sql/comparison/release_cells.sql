-- release_cells
-- What each different cell of a column of a release covers: in which way, how many values, and their range.
--
-- definition: the first of these that covers a value: the value itself, "*" (everything; so does a missing cell where the
--   original has none), an interval in brackets, a prefix, a moment, a name of a hierarchy, an interval written
--   otherwise, a set of values. A cell that covers nothing is false.
-- portable: no
--
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the numbered cells of the release
-- parameter names: column, what the values are called
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT * FROM {{ leaves | identifier }}
),
totals AS (
    SELECT COUNT(*) AS leaves, MAX(CASE WHEN value IS NULL THEN code END) AS missing
    FROM leaves
),
placed AS (
    SELECT place, MIN(code) AS first, MAX(code) AS last
    FROM leaves
    WHERE place IS NOT NULL
    GROUP BY place
),
by_name AS (
    SELECT cells.cell, names.priority, names.layer, COUNT(*) AS size, MIN(names.code) AS first, MAX(names.code) AS last
    FROM {{ cells | identifier }} AS cells
    JOIN {{ names | identifier }} AS names ON names.name = cells.name
    GROUP BY cells.cell, names.priority, names.layer
),
members AS (
    SELECT cell, UNNEST(members) AS name
    FROM {{ cells | identifier }}
),
sets AS (
    SELECT members.cell, COUNT(DISTINCT leaves.code) AS size, MIN(leaves.code) AS first, MAX(leaves.code) AS last
    FROM members
    JOIN leaves ON leaves.name = members.name
    GROUP BY members.cell
),
starts AS (
    SELECT cells.cell, cells.name, cells.high - cells.low AS width, cells.open, cells.closed, cells.high, placed.first
    FROM {{ cells | identifier }} AS cells
    ASOF JOIN placed ON placed.place >= cells.low
    WHERE cells.low IS NOT NULL AND cells.high IS NOT NULL AND NOT cells.open
    UNION ALL
    SELECT cells.cell, cells.name, cells.high - cells.low, cells.open, cells.closed, cells.high, placed.first
    FROM {{ cells | identifier }} AS cells
    ASOF JOIN placed ON placed.place > cells.low
    WHERE cells.low IS NOT NULL AND cells.high IS NOT NULL AND cells.open
),
ended AS (
    SELECT starts.*, placed.last
    FROM starts
    ASOF JOIN placed ON placed.place <= starts.high
    WHERE starts.closed
    UNION ALL
    SELECT starts.*, placed.last
    FROM starts
    ASOF JOIN placed ON placed.place < starts.high
    WHERE NOT starts.closed
),
found AS (
    SELECT * FROM by_name
    UNION ALL
    SELECT cells.cell, 2, 'all', totals.leaves, 1, totals.leaves
    FROM {{ cells | identifier }} AS cells, totals
    WHERE cells.name = '*' OR (cells.name IS NULL AND totals.missing IS NULL)
    UNION ALL
    SELECT cells.cell, 0, 'value', 1, totals.missing, totals.missing
    FROM {{ cells | identifier }} AS cells, totals
    WHERE cells.name IS NULL AND totals.missing IS NOT NULL
    UNION ALL
    SELECT
        cell,
        CASE WHEN REGEXP_MATCHES(name, '^[][(]') THEN 3 ELSE 1000 END,
        'interval ' || width || CASE WHEN open AND closed THEN ' open' WHEN open THEN ' without ends' WHEN closed THEN '' ELSE ' half-open' END,
        last - first + 1,
        first,
        last
    FROM ended
    WHERE last >= first
    UNION ALL
    SELECT cell, 1001, 'set', size, first, last
    FROM sets
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY cell ORDER BY priority, layer) AS choice
    FROM found
)
SELECT
    cells.value,
    cells.name,
    cells.records,
    cells.cell,
    cells.low,
    cells.high,
    cells.members,
    COALESCE(ranked.layer, 'false') AS layer,
    COALESCE(ranked.size, 0) AS size,
    COALESCE(ranked.first, 0) AS first,
    COALESCE(ranked.last, -1) AS last
FROM {{ cells | identifier }} AS cells
LEFT JOIN ranked ON ranked.cell = cells.cell AND ranked.choice = 1
