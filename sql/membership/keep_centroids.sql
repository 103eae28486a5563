-- keep_centroids
-- Keeps a table of centroids under another name.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter centroids: relation, what is kept
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT cluster, vector, records, inertia
FROM {{ centroids | relation }} AS centroids
