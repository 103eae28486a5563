-- cell_correlation
-- The correlation of two columns of numbers, where a cell stands for all that it covers alike.
--
-- definition: Pearson's; what is inside a cell adds to the variance of its column, and nothing to the covariance
-- missing: records with a missing cell in one of the two are left out
-- portable: no
--
-- parameter source: relation, the table
-- parameter first: column, one of the two
-- parameter second: column, the other
-- parameter first_means: column, the means of its cells
-- parameter second_means: column, the means of those of the other
-- parameter before: text or none, the correlation in the original, written to the last digit
WITH records AS (
    SELECT {{ first | identifier }} AS a, {{ second | identifier }} AS b
    FROM {{ source | relation }}
),
pairs AS (
    SELECT a, b, COUNT(*) AS records
    FROM records
    GROUP BY a, b
),
sums AS (
    SELECT
        CAST(SUM(records) AS DOUBLE) AS n,
        CAST(SUM(records * x.mean) AS DOUBLE) AS x,
        CAST(SUM(records * y.mean) AS DOUBLE) AS y,
        CAST(SUM(records * x.square) AS DOUBLE) AS xx,
        CAST(SUM(records * y.square) AS DOUBLE) AS yy,
        CAST(SUM(records * CAST(CAST(x.mean AS DOUBLE) * CAST(y.mean AS DOUBLE) AS DECIMAL(38, 18))) AS DOUBLE) AS xy
    FROM pairs
    JOIN {{ first_means | identifier }} AS x ON x.value = pairs.a
    JOIN {{ second_means | identifier }} AS y ON y.value = pairs.b
),
centred AS (
    SELECT n * xx - x * x AS a, n * yy - y * y AS b, n * xy - x * y AS ab, n
    FROM sums
),
correlated AS (
    SELECT CASE WHEN a > 1e-12 * n * n AND b > 1e-12 * n * n THEN ab / SQRT(a) / SQRT(b) END AS correlation
    FROM centred
)
SELECT correlation, correlation - CAST({{ before | literal }} AS DOUBLE) AS change
FROM correlated
