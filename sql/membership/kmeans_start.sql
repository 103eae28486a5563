-- kmeans_start
-- Makes the table of first centroids: records drawn by seed, no two of them the same.
--
-- definition: the first of the order of MD5(seed:start:record)
-- portable: no
--
-- parameter name: column, the table
-- parameter points: relation, the records as vectors
-- parameter clusters: integer, how many centroids
-- parameter seed: integer, another seed draws anew
-- parameter start: integer, each start draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH different AS (
    SELECT vector, MIN(record) AS record
    FROM {{ points | relation }} AS points
    GROUP BY vector
),
drawn AS (
    SELECT
        ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':', {{ start | literal }}, ':', record)), record) AS cluster
        , vector
    FROM different
)
SELECT cluster, vector, CAST(NULL AS BIGINT) AS records, CAST(NULL AS DOUBLE) AS inertia
FROM drawn
WHERE cluster <= {{ clusters | literal }}
