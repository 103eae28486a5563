-- means_by_group
-- How far the means of numbers by group, as a reader of the release computes them, are from those of the original.
--
-- idea: a reader takes an interval for its middle and a set for its members alike, and asks for the mean of a number in
--   each category of another column. group_means sums what each category has; the difference of the means is relative
--   to how large the numbers of the group are, and the groups count by their records.
-- source: our own
-- runs: finish

-- name: cell_numbers
-- The number that a reader takes for each value of a numeric column, relative to the largest absolute number.
--
-- definition: an interval is the middle between the smallest and the largest number of the original in it; a set, a
--   label or a prefix is the mean of the numbers that it covers; * is the mean of all other cells of the column. A
--   number that is not in the original is itself, as with noise and class means, and an interval without any its middle
-- missing: left out; so is a cell that covers nothing and is no number, and one that is a million times as far
--
-- parameter table: column, the table that is made
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the values of the table with their coverage
-- parameter reach: column, the cells of each value, those of sets, labels and prefixes among them
-- parameter single_values: flag, each cell is one value of the original
-- parameter absolute: flag, take the number without its sign
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT code, place FROM {{ leaves | identifier }} WHERE place IS NOT NULL AND isfinite(place)
),
scale AS (
    SELECT COALESCE(NULLIF(MAX(ABS(place)), 0), 1) AS largest FROM leaves
),
taken AS (
    SELECT cells.cell, cells.value, cells.layer, cells.records, since.place / 2 + until.place / 2 AS number
    FROM {{ cells | identifier }} AS cells
    JOIN leaves AS since ON since.code = cells.first
    JOIN leaves AS until ON until.code = cells.last
{% if not single_values %}
    WHERE cells.layer = 'value' OR cells.layer LIKE 'interval %'
    UNION ALL
    SELECT
        cells.cell,
        cells.value,
        cells.layer,
        ANY_VALUE(cells.records),
        FSUM(leaves.place ORDER BY leaves.code) / COUNT(*)
    FROM {{ cells | identifier }} AS cells
    JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
    JOIN leaves ON leaves.code = reach.code
    WHERE cells.layer NOT IN ('all', 'value', 'false') AND cells.layer NOT LIKE 'interval %'
    GROUP BY cells.cell, cells.value, cells.layer
    UNION ALL
    SELECT cells.cell, cells.value, cells.layer, cells.records, cells.sort_value
    FROM {{ cells | identifier }} AS cells, scale
    WHERE cells.layer = 'false' AND ABS(cells.sort_value) < 1e6 * scale.largest
{% endif %}
),
parts AS (
    SELECT
        taken.cell,
        taken.value,
        taken.layer,
        taken.records,
        {% if absolute %}ABS(taken.number){% else %}taken.number{% endif %} / scale.largest AS part
    FROM taken, scale
)
SELECT cell, value, layer, part FROM parts
{% if not single_values %}
UNION ALL
-- Sums of decimals are the same in any order.
SELECT
    cells.cell,
    cells.value,
    cells.layer,
    (SELECT CAST(SUM(CAST(part * records AS DECIMAL(38, 18))) AS DOUBLE) / SUM(records) FROM parts)
FROM {{ cells | identifier }} AS cells
WHERE cells.layer = 'all' AND cells.value IS NOT NULL
{% endif %}

-- name: mean_changes
-- The change of the means by group that half and that 95 % of the records' groups keep.
--
-- definition: for a number b, a category column a and a category g of it, the change is |mean of b in g after - before|
--   / (mean of |b| in g before), at most 1. It is 1 if no record of the release may be in g, and if all b in g were 0
--   and are no more. A group counts, for each pair of a and b, by its records in the original that have b. "median" is
--   the smallest change that groups with half of all these records do not exceed, "within" that of 95 % of them
-- missing: a record without b, and one without a category, is in no group
-- read: a row for each b, after one for all of them together, whose number is null; no rows without a group. 0.03 in
--   "within" means that 95 % of the groups, by their records, have their mean within 3 %
--
-- parameter original: column, the sums by group of the original; a number below 0 has the absolute values of -1 - it
-- parameter release: column, those of the release
WITH changes AS (
    SELECT
        original.category,
        original.number,
        CAST(original.weight AS BIGINT) AS records,
        CASE
            WHEN release.weight IS NULL THEN 1
            WHEN release.total / release.weight = original.total / original.weight THEN 0
            WHEN size.total = 0 THEN 1
            ELSE LEAST(
                1,
                ABS(release.total / release.weight - original.total / original.weight) / (size.total / size.weight)
            )
        END AS change
    FROM {{ original | identifier }} AS original
    JOIN {{ original | identifier }} AS size
        ON size.category = original.category AND size.code = original.code AND size.number = -1 - original.number
    LEFT JOIN {{ release | identifier }} AS release
        ON release.category = original.category AND release.code = original.code AND release.number = original.number
    WHERE original.number >= 0
        AND EXISTS (
            SELECT 1 FROM {{ release | identifier }} AS pair
            WHERE pair.category = original.category AND pair.number = original.number
        )
),
columns AS (
    SELECT number, category, records, change FROM changes
    UNION ALL
    SELECT NULL, category, records, change FROM changes
),
ranked AS (
    SELECT
        number,
        change,
        SUM(records) OVER (PARTITION BY number ORDER BY change) AS below,
        SUM(records) OVER (PARTITION BY number) AS total
    FROM columns
),
kept AS (
    SELECT
        number,
        CAST(MIN(change) FILTER (WHERE 2 * below >= total) AS DOUBLE) AS median,
        CAST(MIN(change) FILTER (WHERE 20 * below >= 19 * total) AS DOUBLE) AS within
    FROM ranked
    GROUP BY number
)
SELECT
    kept.number,
    kept.median,
    kept.within,
    COUNT(*) AS groups,
    COUNT(DISTINCT columns.category) AS categories
FROM kept
JOIN columns ON (columns.number IS NOT DISTINCT FROM kept.number)
GROUP BY kept.number, kept.median, kept.within
ORDER BY kept.number NULLS FIRST
