-- kmeans_features
-- Makes the table of records as their distances to centroids, turned about the origin.
--
-- definition: each column is a row of the matrix times the distances; its rows are orthonormal, so that the records are as far
--   from each other as their distances are
-- source: the attack by k-means of the report on PWS Cup 2020
-- portable: no
--
-- parameter name: column, the table
-- parameter points: relation, the records as vectors
-- parameter centroids: relation, the centroids
-- parameter order: integers, the centroids in the order of the distances
-- parameter matrix: texts or none, its rows, each the text of a list of numbers; none leaves the distances as they are
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH last AS (
    SELECT
        1 AS one
{% for cluster in order %}
        , (SELECT vector FROM {{ centroids | relation }} AS centroids WHERE cluster = {{ cluster | literal }}) AS v{{ loop.index }}
{% endfor %}
)
SELECT
    record
{% if matrix is none %}
{% for cluster in order %}
    , distances[{{ loop.index }}] AS n{{ loop.index }}
{% endfor %}
{% else %}
{% for row in matrix %}
    , ARRAY_INNER_PRODUCT(distances, CAST({{ row | literal }} AS DOUBLE[{{ order | length }}])) AS n{{ loop.index }}
{% endfor %}
{% endif %}
FROM (
    SELECT
        points.record
        , ARRAY_VALUE({% for cluster in order %}ARRAY_DISTANCE(points.vector, last.v{{ loop.index }}){% if not loop.last %}, {% endif %}{% endfor %}) AS distances
    FROM {{ points | relation }} AS points
    CROSS JOIN last
) AS told
