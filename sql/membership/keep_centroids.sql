-- keep_centroids
-- Keeps the centroids of one start under another name.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter centroids: relation, of several starts
-- parameter start: integer, whose are kept
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT start, cluster, vector, inertia
FROM {{ centroids | relation }} AS centroids
WHERE start = {{ start }}
