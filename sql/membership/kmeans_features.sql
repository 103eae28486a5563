-- kmeans_features
-- Makes the table of records as their distances to centroids.
--
-- source: the attack by k-means of the report on PWS Cup 2020
-- portable: no
--
-- parameter name: column, the table
-- parameter points: relation, the records as vectors
-- parameter centroids: relation, the centroids
-- parameter order: integers, the centroids in the order of the columns
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH last AS (
    SELECT
        1 AS one
{% for cluster in order %}
        , (SELECT vector FROM {{ centroids | relation }} AS centroids WHERE cluster = {{ cluster | literal }}) AS v{{ loop.index }}
{% endfor %}
)
SELECT
    points.record
{% for cluster in order %}
    , ARRAY_DISTANCE(points.vector, last.v{{ loop.index }}) AS n{{ loop.index }}
{% endfor %}
FROM {{ points | relation }} AS points
CROSS JOIN last
