-- kmeans_moved
-- Makes the table of the first centroids of the release: those of the population, moved as the mean has moved.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter centroids: relation, those of the population
-- parameter population: relation, its mean as the one centroid
-- parameter released: relation, that of the release
-- parameter dimensions: integer, of a vector
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    0 AS start
    , centroids.cluster
    , CAST(LIST_TRANSFORM(RANGE(1, {{ dimensions }} + 1), lambda i: centroids.vector[i] + (released.vector[i] - population.vector[i])) AS DOUBLE[{{ dimensions | literal }}]) AS vector
    , CAST(NULL AS DOUBLE) AS inertia
FROM {{ centroids | relation }} AS centroids
CROSS JOIN {{ population | relation }} AS population
CROSS JOIN {{ released | relation }} AS released
