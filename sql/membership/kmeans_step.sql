-- kmeans_step
-- Makes the next table of centroids: the means of the records that each centroid is nearest to.
--
-- definition: one iteration of Lloyd; of centroids that are equally near the first; one that no record is nearest to stays.
--   inertia is the sum of the squared distances to the centroids before.
-- source: Lloyd, Least squares quantization in PCM, 1982
-- portable: no
--
-- parameter name: column, the table
-- parameter points: relation, the records as vectors
-- parameter centroids: relation, those before
-- parameter clusters: integer, how many centroids
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter codes: integers, how many codes each of these has
-- parameter dimensions: integer, of a vector
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH before AS (
    SELECT
        1 AS one
{% for cluster in range(clusters) %}
        , (SELECT vector FROM {{ centroids | relation }} AS centroids WHERE cluster = {{ cluster + 1 }}) AS v{{ cluster + 1 }}
{% endfor %}
),
distances AS (
    SELECT
        points.* EXCLUDE (vector)
{% for cluster in range(clusters) %}
        , ARRAY_DISTANCE(points.vector, before.v{{ cluster + 1 }}) AS d{{ cluster + 1 }}
{% endfor %}
    FROM {{ points | relation }} AS points
    CROSS JOIN before
),
nearest AS (
    SELECT
        distances.*
        , LEAST({% for cluster in range(clusters) %}{% if not loop.first %}, {% endif %}d{{ cluster + 1 }}{% endfor %}) AS nearest_distance
    FROM distances
),
assigned AS (
    SELECT
        nearest.*
        , CASE nearest_distance{% for cluster in range(clusters) %} WHEN d{{ cluster + 1 }} THEN {{ cluster + 1 }}{% endfor %} END AS cluster
    FROM nearest
),
means AS (
    SELECT
        cluster
        , COUNT(*) AS records
        , CAST(SUM(CAST(nearest_distance * nearest_distance AS DECIMAL(38, 14))) AS DOUBLE) AS inertia
        , CAST([
            {% for column in numeric %}{% if not loop.first %}, {% endif %}CAST(SUM(CAST({{ column | identifier }} AS DECIMAL(38, 14))) AS DOUBLE) / COUNT(*){% endfor %}
{% for column in categories %}
{% set first = loop.first and not numeric %}
{% for code in range(codes[loop.index0]) %}
            {% if not (first and loop.first) %}, {% endif %}CAST(COUNT(CASE WHEN {{ column | identifier }} = {{ code }} THEN 1 END) AS DOUBLE) / COUNT(*)
{% endfor %}
{% endfor %}
        ] AS DOUBLE[{{ dimensions | literal }}]) AS vector
    FROM assigned
    GROUP BY cluster
)
SELECT cluster, vector, records, inertia
FROM means
UNION ALL
SELECT cluster, vector, 0 AS records, CAST(0 AS DOUBLE) AS inertia
FROM {{ centroids | relation }} AS centroids
WHERE NOT EXISTS (SELECT 1 FROM means WHERE means.cluster = centroids.cluster)
