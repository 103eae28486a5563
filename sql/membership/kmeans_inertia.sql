-- kmeans_inertia
-- The sum of the squared distances to the centroids before the last iteration, for each start.
--
-- portable: yes
--
-- parameter centroids: relation, those of now
SELECT start, CAST(SUM(CAST(inertia AS DECIMAL(38, 10))) AS DOUBLE) AS inertia
FROM {{ centroids | relation }} AS centroids
GROUP BY start
ORDER BY start
