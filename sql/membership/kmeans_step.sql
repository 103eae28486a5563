-- kmeans_step
-- Makes the next table of centroids of each start: the means of the records that each centroid is nearest to.
--
-- definition: one iteration of Lloyd; of centroids that are equally near the first; one that no record is nearest to stays.
--   The squared distance to a centroid is that of the numbers, the sum of the squares of its shares of all codes, and for each
--   category 1 - 2 x its share of the record's code, which is told once for each number of a block, and together once for each
--   combination of these where that is given. inertia is the sum of the squared distances to the centroids before.
-- source: Lloyd, Least squares quantization in PCM, 1982
-- portable: no
--
-- parameter name: column, the table
-- parameter cells: relation, the records that differ
-- parameter combinations: relation or none, the combinations of the numbers of blocks that records have, where these are few
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
        , CAST(numbers.range AS INTEGER) AS number
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
{% if combinations is not none %}
combined AS (
    SELECT
        parts0.start
{% for size in sizes %}
        , combinations.b{{ loop.index0 }}
{% endfor %}
{% for cluster in range(1, clusters + 1) %}
        , {% for size in sizes %}{% if not loop.first %} + {% endif %}parts{{ loop.index0 }}.d{{ cluster }}{% endfor %} AS d{{ cluster }}
{% endfor %}
    FROM {{ combinations | relation }} AS combinations
{% for size in sizes %}
    JOIN parts{{ loop.index0 }} ON parts{{ loop.index0 }}.number = combinations.b{{ loop.index0 }}{% if not loop.first %} AND parts{{ loop.index0 }}.start = parts0.start{% endif %}

{% endfor %}
),
{% endif %}
distances AS (
    SELECT
        cells.*
        , before.start
{% for cluster in range(1, clusters + 1) %}
        , {% if combinations is not none %}combined.d{{ cluster }}{% else %}{% for size in sizes %}{% if not loop.first %} + {% endif %}parts{{ loop.index0 }}.d{{ cluster }}{% else %}0.0::DOUBLE{% endfor %}{% endif %}{% for column in numeric %} + (cells.{{ column | identifier }} - before.m{{ cluster }}_{{ loop.index }}) * (cells.{{ column | identifier }} - before.m{{ cluster }}_{{ loop.index }}){% endfor %} AS d{{ cluster }}
{% endfor %}
    FROM {{ cells | relation }} AS cells
    CROSS JOIN before
{% if combinations is not none %}
    JOIN combined ON combined.start = before.start{% for size in sizes %} AND combined.b{{ loop.index0 }} = cells.b{{ loop.index0 }}{% endfor %}

{% else %}
{% for size in sizes %}
    JOIN parts{{ loop.index0 }} ON parts{{ loop.index0 }}.start = before.start AND parts{{ loop.index0 }}.number = cells.b{{ loop.index0 }}
{% endfor %}
{% endif %}
),
nearest AS (
    SELECT
        distances.*
        , LEAST({% for cluster in range(1, clusters + 1) %}{% if not loop.first %}, {% endif %}d{{ cluster }}{% endfor %}) AS squared_distance
    FROM distances
),
assigned AS {% if combinations is none %}MATERIALIZED {% endif %}(
    SELECT
        start
        , CASE squared_distance{% for cluster in range(1, clusters + 1) %} WHEN d{{ cluster }} THEN {{ cluster }}{% endfor %} END AS cluster
        , times
        , CAST(squared_distance AS DECIMAL(38, 14)) * times AS inertia
{% for column in numeric %}
        , {{ ('sum_' ~ column) | identifier }}
{% endfor %}
{% for size in sizes %}
        , b{{ loop.index0 }}
{% endfor %}
    FROM nearest
),
{% if combinations is not none %}
grouped AS MATERIALIZED (
    SELECT
        start
        , cluster
        , SUM(times) AS times
        , SUM(inertia) AS inertia
{% for column in numeric %}
        , SUM({{ ('sum_' ~ column) | identifier }}) AS {{ ('sum_' ~ column) | identifier }}
{% endfor %}
{% for size in sizes %}
        , b{{ loop.index0 }}
{% endfor %}
    FROM assigned
    GROUP BY start, cluster{% for size in sizes %}, b{{ loop.index0 }}{% endfor %}

),
{% endif %}
{% for size in sizes %}
{% set block = loop.index0 %}
counted{{ block }} AS (
    SELECT start, cluster, b{{ block }} AS number, SUM(times) AS times
    FROM {% if combinations is none %}assigned{% else %}grouped{% endif %}

    GROUP BY start, cluster, b{{ block }}
),
{% endfor %}
{% if sizes %}
counted AS (
{% for size in sizes %}
{% set block = loop.index0 %}
{% set ns = namespace(first=0, listed=false) %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT start, cluster, times, UNNEST([{% for count in codes %}{% if blocks[loop.index0] == block %}{% if ns.listed %}, {% endif %}{{ ns.first }} + number // {{ strides[loop.index0] }} % {{ count }}{% set ns.listed = true %}{% endif %}{% set ns.first = ns.first + count %}{% endfor %}]) AS code
    FROM counted{{ block }}
{% endfor %}
),
shares AS (
    SELECT start, cluster, code, SUM(times) AS times
    FROM counted
    GROUP BY start, cluster, code
),
{% endif %}
numbers AS (
    SELECT
        start
        , cluster
        , SUM(times) AS times
        , CAST(SUM(inertia) AS DOUBLE) AS inertia
{% for column in numeric %}
        , CAST(SUM({{ ('sum_' ~ column) | identifier }}) AS DOUBLE) / SUM(times) AS {{ column | identifier }}
{% endfor %}
    FROM {% if combinations is none %}assigned{% else %}grouped{% endif %}

    GROUP BY start, cluster
),
means AS (
    SELECT
        numbers.start
        , numbers.cluster
{% if sizes %}
        , CAST(LIST_CONCAT(
            CAST([{% for column in numeric %}{% if not loop.first %}, {% endif %}MIN(numbers.{{ column | identifier }}){% endfor %}] AS DOUBLE[])
            , LIST(CAST(COALESCE(shares.times, 0) AS DOUBLE) / numbers.times ORDER BY codes.range)
        ) AS DOUBLE[{{ dimensions | literal }}]) AS vector
        , MIN(numbers.inertia) AS inertia
    FROM numbers
    CROSS JOIN RANGE({{ dimensions - numeric | length }}) AS codes
    LEFT JOIN shares ON shares.start = numbers.start AND shares.cluster = numbers.cluster AND shares.code = codes.range
    GROUP BY numbers.start, numbers.cluster
{% else %}
        , CAST([{% for column in numeric %}{% if not loop.first %}, {% endif %}numbers.{{ column | identifier }}{% endfor %}] AS DOUBLE[{{ dimensions | literal }}]) AS vector
        , numbers.inertia
    FROM numbers
{% endif %}
)
SELECT start, cluster, vector, inertia
FROM means
UNION ALL
SELECT start, cluster, vector, CAST(0 AS DOUBLE) AS inertia
FROM running
WHERE NOT EXISTS (SELECT 1 FROM means WHERE means.start = running.start AND means.cluster = running.cluster)
