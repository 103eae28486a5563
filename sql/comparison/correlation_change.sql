-- correlation_change
-- The correlation of two numeric columns in the original and in a release.
--
-- definition: Pearson's, over the records that have a number in both columns
-- source: Pearson, Notes on regression and inheritance in the case of two parents, 1895
-- missing: a record with a missing number, or with a cell that is none, is left out
-- read: null where a column is constant; records need not correspond
-- instead: cell_correlation
-- runs: finish
--
-- parameter original: relation, the original
-- parameter release: relation, the release
-- parameter first: column, one of the two; both tables have them
-- parameter second: column, the other
-- column original_correlation: DOUBLE, correlation (-1 to 1), in the original
-- column correlation: DOUBLE, correlation (-1 to 1), in the release
-- column change: DOUBLE, difference (-2 to 2), of the second from the first
WITH records AS (
    SELECT 0 AS side, TRY_CAST(originals.{{ first | identifier }} AS DOUBLE) AS a,
        TRY_CAST(originals.{{ second | identifier }} AS DOUBLE) AS b FROM {{ original | relation }} AS originals
    UNION ALL
    SELECT 1 AS side, TRY_CAST(releases.{{ first | identifier }} AS DOUBLE) AS a,
        TRY_CAST(releases.{{ second | identifier }} AS DOUBLE) AS b FROM {{ release | relation }} AS releases
),
numbers AS (
    SELECT side, a, b
    FROM records
    WHERE ISFINITE(a) AND ISFINITE(b)
),
ends AS (
    SELECT MIN(a) AS low_a, NULLIF(MAX(a) - MIN(a), 0) AS wide_a, MIN(b) AS low_b, NULLIF(MAX(b) - MIN(b), 0) AS wide_b
    FROM numbers
),
scaled AS (
    -- Between 0 and 1, so that decimals hold them and add up alike in any order.
    SELECT side, COALESCE((a - low_a) / wide_a, 0) AS x, COALESCE((b - low_b) / wide_b, 0) AS y
    FROM numbers, ends
),
sums AS (
    SELECT
        side,
        CAST(COUNT(*) AS DOUBLE) AS n,
        CAST(SUM(CAST(x AS DECIMAL(38, 18))) AS DOUBLE) AS x,
        CAST(SUM(CAST(y AS DECIMAL(38, 18))) AS DOUBLE) AS y,
        CAST(SUM(CAST(x * x AS DECIMAL(38, 18))) AS DOUBLE) AS xx,
        CAST(SUM(CAST(y * y AS DECIMAL(38, 18))) AS DOUBLE) AS yy,
        CAST(SUM(CAST(x * y AS DECIMAL(38, 18))) AS DOUBLE) AS xy
    FROM scaled
    GROUP BY side
),
correlations AS (
    SELECT
        side,
        CASE WHEN n * xx - x * x > 1e-12 * n * n AND n * yy - y * y > 1e-12 * n * n
            THEN (n * xy - x * y) / SQRT(n * xx - x * x) / SQRT(n * yy - y * y) END AS correlation
    FROM sums
)
SELECT
    ANY_VALUE(CASE WHEN side = 0 THEN correlation END) AS original_correlation,
    ANY_VALUE(CASE WHEN side = 1 THEN correlation END) AS correlation,
    ANY_VALUE(CASE WHEN side = 1 THEN correlation END) - ANY_VALUE(CASE WHEN side = 0 THEN correlation END) AS change
FROM correlations
