-- cell_layers
-- How the cells of a column of a release generalise: the ways in use, and whether cells of one overlap.
--
-- definition: cells overlap where one begins before the one that begins before it ends; "covered" is how many values
--   a cell covers in the mean over its records
-- portable: no
--
-- parameter table: column, the cells with what they cover
WITH ordered AS (
    SELECT
        layer,
        records,
        size,
        first,
        last,
        MAX(last) OVER (PARTITION BY layer ORDER BY first, last, cell ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS taken,
        MAX(CASE WHEN layer LIKE 'interval %' THEN last END) OVER (
            ORDER BY CASE WHEN layer LIKE 'interval %' THEN first END NULLS FIRST, last, cell
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS taken_by_any
    FROM {{ table | identifier }}
)
SELECT
    layer,
    COUNT(*) AS cells,
    CAST(SUM(records) AS BIGINT) AS records,
    MAX(size) AS largest,
    CAST(SUM(CAST(size AS DECIMAL(38, 0)) * records) AS DOUBLE) / SUM(records) AS covered,
    BOOL_OR(COALESCE(first <= taken, FALSE)) AS overlapping,
    BOOL_OR(COALESCE(first <= taken_by_any, FALSE)) AS overlapping_others
FROM ordered
GROUP BY layer
ORDER BY layer
