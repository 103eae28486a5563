-- kmeans_step
-- Makes the next table of centroids of each start: the means of the records that each centroid is nearest to.
--
-- definition: one iteration of Lloyd; of centroids that are equally near the first; one that no record is nearest to stays.
--   The squared distance to a centroid is that of the numbers, the sum of the squares of its shares of all codes, and for each
--   category 1 - 2 x its share of the record's code, which is told once for each number of a block. inertia is the sum of the
--   squared distances to the centroids before.
-- source: Lloyd, Least squares quantization in PCM, 1982
-- portable: no
--
-- parameter name: column, the table
-- parameter cells: relation, the records that differ
-- parameter centroids: relation, those before
-- parameter starts: integers, the starts that go on
-- parameter clusters: integer, how many centroids each has
-- parameter numeric: columns, those of numbers
-- parameter codes: integers, how many codes each category has
-- parameter blocks: integers, for each category the number of its block
-- parameter strides: integers, for each category what its code is multiplied with in the number of the block
-- parameter sizes: integers, how many numbers each block has
-- parameter dimensions: integer, of a vector
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH running AS (
    SELECT start, cluster, vector
    FROM {{ centroids | relation }} AS centroids
    WHERE start IN ({% for start in starts %}{% if not loop.first %}, {% endif %}{{ start }}{% endfor %})
),
{% for size in sizes %}
{% set block = loop.index0 %}
told{{ block }} AS (
    SELECT
        start
        , cluster
        , numbers.range AS number
{% set ns = namespace(first=numeric | length + 1) %}
        , {% if loop.first %}LIST_SUM(LIST_TRANSFORM(CAST(vector AS DOUBLE[])[{{ ns.first }}:], lambda share: share * share)){% else %}0.0::DOUBLE{% endif %}{% for count in codes %}{% if blocks[loop.index0] == block %} + (1 - 2 * vector[{{ ns.first }} + numbers.range // {{ strides[loop.index0] }} % {{ count }}]){% endif %}{% set ns.first = ns.first + count %}{% endfor %} AS part
    FROM RANGE({{ size }}) AS numbers
    CROSS JOIN running
),
parts{{ block }} AS MATERIALIZED (
    SELECT
        start
        , number
{% for cluster in range(1, clusters + 1) %}
        , MAX(CASE WHEN cluster = {{ cluster }} THEN part END) AS d{{ cluster }}
{% endfor %}
    FROM told{{ block }}
    GROUP BY start, number
),
{% endfor %}
before AS MATERIALIZED (
    SELECT
        start
{% for cluster in range(1, clusters + 1) %}
{% for column in numeric %}
        , MAX(CASE WHEN cluster = {{ cluster }} THEN vector[{{ loop.index }}] END) AS m{{ cluster }}_{{ loop.index }}
{% endfor %}
{% endfor %}
    FROM running
    GROUP BY start
),
distances AS (
    SELECT
        cells.*
        , before.start
{% for cluster in range(1, clusters + 1) %}
        , 0.0::DOUBLE{% for size in sizes %} + parts{{ loop.index0 }}.d{{ cluster }}{% endfor %}{% for column in numeric %} + (cells.{{ column | identifier }} - before.m{{ cluster }}_{{ loop.index }}) * (cells.{{ column | identifier }} - before.m{{ cluster }}_{{ loop.index }}){% endfor %} AS d{{ cluster }}
{% endfor %}
    FROM {{ cells | relation }} AS cells
    CROSS JOIN before
{% for size in sizes %}
    JOIN parts{{ loop.index0 }} ON parts{{ loop.index0 }}.start = before.start AND parts{{ loop.index0 }}.number = cells.b{{ loop.index0 }}
{% endfor %}
),
nearest AS (
    SELECT
        distances.*
        , LEAST({% for cluster in range(1, clusters + 1) %}{% if not loop.first %}, {% endif %}d{{ cluster }}{% endfor %}) AS squared_distance
    FROM distances
),
assigned AS MATERIALIZED (
    SELECT
        start
        , times
        , squared_distance
        , CASE squared_distance{% for cluster in range(1, clusters + 1) %} WHEN d{{ cluster }} THEN {{ cluster }}{% endfor %} END AS cluster
{% for column in numeric %}
        , {{ column | identifier }}
{% endfor %}
{% for size in sizes %}
        , b{{ loop.index0 }}
{% endfor %}
    FROM nearest
),
{% for size in sizes %}
{% set block = loop.index0 %}
counted{{ block }} AS (
    SELECT start, cluster, b{{ block }} AS number, SUM(times) AS times
    FROM assigned
    GROUP BY start, cluster, b{{ block }}
),
shares{{ block }} AS (
    SELECT
        start
        , cluster
{% for count in codes %}
{% set here = loop.index0 %}
{% if blocks[here] == block %}
{% for code in range(count) %}
        , CAST(COALESCE(SUM(CASE WHEN number // {{ strides[here] }} % {{ count }} = {{ code }} THEN times END), 0) AS DOUBLE) / SUM(times) AS s{{ here }}_{{ code }}
{% endfor %}
{% endif %}
{% endfor %}
    FROM counted{{ block }}
    GROUP BY start, cluster
),
{% endfor %}
numbers AS (
    SELECT
        start
        , cluster
        , CAST(SUM(CAST(squared_distance AS DECIMAL(38, 14)) * times) AS DOUBLE) AS inertia
{% for column in numeric %}
        , CAST(SUM(CAST({{ column | identifier }} AS DECIMAL(38, 14)) * times) AS DOUBLE) / SUM(times) AS {{ column | identifier }}
{% endfor %}
    FROM assigned
    GROUP BY start, cluster
),
means AS (
    SELECT
        numbers.start
        , numbers.cluster
        , CAST([
            {% for column in numeric %}{% if not loop.first %}, {% endif %}numbers.{{ column | identifier }}{% endfor %}
{% for count in codes %}
{% set here = loop.index0 %}
{% set first = loop.first and not numeric %}
{% for code in range(count) %}
{% if not (first and loop.first) %}, {% endif %}shares{{ blocks[here] }}.s{{ here }}_{{ code }}
{% endfor %}
{% endfor %}
        ] AS DOUBLE[{{ dimensions | literal }}]) AS vector
        , numbers.inertia
    FROM numbers
{% for size in sizes %}
    JOIN shares{{ loop.index0 }} ON shares{{ loop.index0 }}.start = numbers.start AND shares{{ loop.index0 }}.cluster = numbers.cluster
{% endfor %}
)
SELECT start, cluster, vector, inertia
FROM means
UNION ALL
SELECT start, cluster, vector, CAST(0 AS DOUBLE) AS inertia
FROM running
WHERE NOT EXISTS (SELECT 1 FROM means WHERE means.start = running.start AND means.cluster = running.cluster)
