-- kmeans_start
-- Makes the table of the first centroids of each start: records drawn by seed, no two of a start the same.
--
-- definition: the first of the order of MD5(seed:start:record)
-- portable: no
--
-- parameter name: column, the table
-- parameter points: relation, the records as vectors
-- parameter cells: relation, those that differ
-- parameter clusters: integer, how many centroids
-- parameter seed: integer, another seed draws anew
-- parameter starts: integers, each start draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH drawn AS (
{% for start in starts %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    (
        SELECT {{ start }} AS start, record, MD5(CONCAT({{ seed | literal }}, ':', {{ start }}, ':', record)) AS turn
        FROM {{ cells | relation }} AS cells
        ORDER BY turn, record
        LIMIT {{ clusters | literal }}
    )
{% endfor %}
)
SELECT
    drawn.start
    , ROW_NUMBER() OVER (PARTITION BY drawn.start ORDER BY drawn.turn, drawn.record) AS cluster
    , points.vector
    , CAST(NULL AS DOUBLE) AS inertia
FROM {{ points | relation }} AS points
JOIN drawn ON drawn.record = points.record
