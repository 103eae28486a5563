-- centroid_distances
-- The distance of each centroid of the population and each one of the release.
--
-- portable: no
--
-- parameter population: relation, the centroids of the population
-- parameter released: relation, those of the release
SELECT ARRAY_DISTANCE(population.vector, released.vector) AS distance
FROM {{ population | relation }} AS population
CROSS JOIN {{ released | relation }} AS released
ORDER BY population.cluster, released.cluster
