-- cross_table_loss
-- The distance between a cross table of a release and of the original, such as sales by country and item.
--
-- definition: p is the share of a cell of the cross table of both columns in the original, q in the release. The
--   total variation is 0.5 sum |p - q|, computed as the sum of positive p - q: 1 for a release without records
-- source: our own, with the differences of counts and rates of the contest of PWS Cup 2021
-- missing: a record that lacks one of the two values is left out; a weight that is missing or below 0 counts 0
-- read: records or amounts are counted, never people: a release may give one person several pseudonyms
-- runs: finish
--
-- parameter original: relation, the records as they were
-- parameter release: relation, the released records
-- parameter category: column, one side of the table, such as the country of the person
-- parameter column: column, the other side, such as the item
-- parameter weight: column or none, the summed column, such as the quantity; none counts records
--
-- column cells: BIGINT, cells, of the cross table, non-empty in one of the tables
-- column total_variation: DOUBLE, share, half the sum of |p - q|
-- column largest_share_difference: DOUBLE, share, the largest |p - q| of a cell
-- column mean_share_difference: DOUBLE, share, the mean of them over the cells
-- column largest_difference: DOUBLE, amount, the largest change of the count or sum of a cell
-- column mean_difference: DOUBLE, amount, the mean of them over the cells
WITH records AS (
    SELECT
        0 AS side,
        CAST({{ category | identifier }} AS STRING) AS category,
        CAST({{ column | identifier }} AS STRING) AS value,
        {% if weight %}TRY_CAST({{ weight | identifier }} AS DECIMAL(38, 6)){% else %}CAST(1
            AS DECIMAL(38, 6)){% endif %} AS weight
    FROM {{ original | relation }}
    UNION ALL
    SELECT
        1 AS side,
        CAST({{ category | identifier }} AS STRING) AS category,
        CAST({{ column | identifier }} AS STRING) AS value,
        {% if weight %}TRY_CAST({{ weight | identifier }} AS DECIMAL(38, 6)){% else %}CAST(1
            AS DECIMAL(38, 6)){% endif %} AS weight
    FROM {{ release | relation }}
),
cells AS (
    SELECT
        category,
        value,
        CAST(SUM(CASE WHEN side = 0 THEN GREATEST(COALESCE(weight, 0), 0) ELSE 0 END) AS DOUBLE) AS before,
        CAST(SUM(CASE WHEN side = 1 THEN GREATEST(COALESCE(weight, 0), 0) ELSE 0 END) AS DOUBLE) AS after
    FROM records
    WHERE category IS NOT NULL AND value IS NOT NULL
    GROUP BY category, value
),
totals AS (
    SELECT
        CAST(SUM(CAST(before AS DECIMAL(38, 6))) AS DOUBLE) AS before,
        CAST(SUM(CAST(after AS DECIMAL(38, 6))) AS DOUBLE) AS after
    FROM cells
),
shares AS (
    SELECT
        cells.before,
        cells.after,
        COALESCE(cells.before / NULLIF(totals.before, 0), 0) AS p,
        COALESCE(cells.after / NULLIF(totals.after, 0), 0) AS q
    FROM cells CROSS JOIN totals
)
SELECT
    COUNT(*) AS cells,
    COALESCE(CAST(SUM(CAST(GREATEST(p - q, 0) AS DECIMAL(38, 18))) AS DOUBLE), 0) AS total_variation,
    COALESCE(MAX(ABS(p - q)), 0) AS largest_share_difference,
    COALESCE(CAST(SUM(CAST(ABS(p - q) AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0)
        AS mean_share_difference,
    COALESCE(MAX(ABS(before - after)), 0) AS largest_difference,
    COALESCE(CAST(SUM(CAST(ABS(before - after) AS DECIMAL(38, 6))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0)
        AS mean_difference
FROM shares
