-- kmeans
-- Lloyd's k-means, and records compared by their distances to centroids.
--
-- idea: the population and the release are clustered separately; a shift of the whole release also shifts its
--   centroids and cancels in the distances to them. Equal records are one, and categories are combined in blocks, a
--   number each.
-- source: Lloyd, Least squares quantization in PCM, 1982; the attack by k-means of the report on PWS Cup 2020
-- runs: finish
--
-- parameter name: column, the table
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter dimensions: integer, of a vector
-- parameter points: relation, the records as vectors
-- parameter sizes: integers, number of values of each block
-- parameter cells: relation, the distinct records

-- name: kmeans_shifts
-- Creates the row of the shift and the scale of each number.
--
-- definition: the mean and 1 / the standard deviation in the population; 1 where all numbers are one
--
-- takes: name, numeric
-- parameter source: relation, the population
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranges AS (
    SELECT
        COUNT(*) AS records
{% for column in numeric %}
        , MIN({{ column | identifier }}) AS least_{{ loop.index }}
        , CASE WHEN MAX({{ column | identifier }}) > MIN({{ column | identifier }})
            THEN MAX({{ column | identifier }}) - MIN({{ column | identifier }}) ELSE 1 END AS width_{{ loop.index }}
{% endfor %}
    FROM {{ source | relation }} AS records
),
sums AS (
    SELECT
        1 AS one
{% for column in numeric %}
        , CAST(SUM(CAST(
            (records.{{ column | identifier }} - ranges.least_{{ loop.index }})
            / ranges.width_{{ loop.index }} AS DECIMAL(38, 18))) AS DOUBLE) AS first_{{ loop.index }}
        , CAST(SUM(CAST(
            POWER((records.{{ column | identifier }} - ranges.least_{{ loop.index }}) / ranges.width_{{ loop.index }},
            2) AS DECIMAL(38, 18))) AS DOUBLE) AS second_{{ loop.index }}
{% endfor %}
    FROM {{ source | relation }} AS records
    CROSS JOIN ranges
)
SELECT
    1 AS one
{% for column in numeric %}
    , least_{{ loop.index }} + width_{{ loop.index }} * first_{{ loop.index }} / records AS shift_{{ loop.index }}
    , CASE
        WHEN second_{{ loop.index }} / records - POWER(first_{{ loop.index }} / records, 2) > 1e-15
            THEN 1 / (width_{{ loop.index }}
                * SQRT(second_{{ loop.index }} / records - POWER(first_{{ loop.index }} / records, 2)))
        ELSE 1 / width_{{ loop.index }}
    END AS factor_{{ loop.index }}
{% endfor %}
FROM sums
CROSS JOIN ranges

-- name: kmeans_points
-- Creates the table of records as vectors: numbers, standardised if shifts are given, and one-hot categories.
-- takes: name, numeric, categories, dimensions
-- parameter source: relation, the records with codes
-- parameter shifts: relation or none, the row of shifts and factors
-- parameter codes: integers, number of codes of each of these
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH shifted AS (
    SELECT
        records.record
{% for column in numeric %}
        , {% if shifts is not none %}(records.{{ column | identifier }} - shifts.shift_{{ loop.index }})
            * shifts.factor_{{ loop.index }}{% else %}records.{{ column | identifier }}{% endif %}
            AS {{ column | identifier }}
{% endfor %}
{% for column in categories %}
        , records.{{ column | identifier }}
{% endfor %}
    FROM {{ source | relation }} AS records
{% if shifts is not none %}
    CROSS JOIN {{ shifts | relation }} AS shifts
{% endif %}
)
SELECT
    shifted.*
    , CAST([
        {% for column in numeric %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}
{% for column in categories %}
{% set first = loop.first and not numeric %}
{% for code in range(codes[loop.index0]) %}
        {% if not (first and loop.first) %}, {% endif %}CAST({{ column | identifier }} = {{ code }} AS DOUBLE)
{% endfor %}
{% endfor %}
    ] AS DOUBLE[{{ dimensions | literal }}]) AS vector
FROM shifted

-- name: kmeans_cells
-- Creates the table of the distinct records, with their categories as one number for each block.
--
-- definition: the number of a block is the sum of code x stride; times is the number of equal records, record the
--   first of them; sum_ of a number is the number times this, none if it is too large for sums
--
-- takes: name, numeric, categories, sizes
-- parameter points: relation, the records
-- parameter blocks: integers, for each of these the number of its block
-- parameter strides: integers, for each the factor of its code
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH combined AS (
    SELECT
        record
{% for column in numeric %}
        , {{ column | identifier }}
{% endfor %}
{% for size in sizes %}
{% set block = loop.index0 %}
        , CAST(0{% for column in categories %}{% if blocks[loop.index0] == block %} + {{ column | identifier }}
            * {{ strides[loop.index0] }}{% endif %}{% endfor %} AS INTEGER) AS b{{ block }}
{% endfor %}
    FROM {{ points | relation }} AS points
)
SELECT
    MIN(record) AS record
    , COUNT(*) AS times
{% for column in numeric %}
    , {{ column | identifier }}
    , CASE WHEN ABS({{ column | identifier }}) < 1e12 THEN CAST({{ column | identifier }} AS DECIMAL(38, 14))
        * COUNT(*) END AS {{ ('sum_' ~ column) | identifier }}
{% endfor %}
{% for size in sizes %}
    , b{{ loop.index0 }}
{% endfor %}
FROM combined
GROUP BY {% for column in numeric %}{% if not loop.first %},
    {% endif %}{{ column | identifier }}{% endfor %}{% for size in sizes %}{% if numeric or not loop.first %},
    {% endif %}b{{ loop.index0 }}{% endfor %}

-- name: count_points
-- The number of records, of distinct records, and the largest absolute number.
--
-- takes: numeric
-- parameter cells: relation, the distinct records with their frequencies
SELECT
    CAST(SUM(times) AS BIGINT) AS records
    , COUNT(*) AS points
    , GREATEST(0.0{% for column in numeric %}, MAX(ABS({{ column | identifier }})){% endfor %}) AS largest
FROM {{ cells | relation }} AS cells

-- name: kmeans_combinations
-- Creates the table of the combinations of block numbers that records have.
--
-- takes: name, cells
-- parameter blocks: integer, number of blocks
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {% for block in range(blocks) %}{% if not loop.first %}, {% endif %}b{{ block }}{% endfor %}

FROM {{ cells | relation }} AS cells
GROUP BY {% for block in range(blocks) %}{% if not loop.first %}, {% endif %}b{{ block }}{% endfor %}

-- name: kmeans_start
-- Creates the table of the first centroids of each start: distinct records drawn by seed.
--
-- definition: the first of the order of MD5(seed:start:record)
--
-- takes: name, points
-- parameter cells: relation, the distinct records
-- parameter clusters: integer, number of centroids
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

-- name: kmeans_step
-- Creates the next table of centroids of each start: the means of the records nearest to each centroid.
--
-- definition: one iteration of Lloyd. Of equally near centroids the first one counts; a centroid without records
--   stays. The squared distance to a centroid is that of the numbers, the sum of the squares of its shares of all
--   codes, and for each category 1 - 2 x its share of the record's code, which is computed once for each number of a
--   block, or once for each combination of these if given. inertia is the sum of the squared distances to the
--   previous centroids.
-- source: Lloyd, Least squares quantization in PCM, 1982
--
-- takes: name, cells, numeric, sizes, dimensions
-- parameter combinations: relation or none, the combinations of the numbers of blocks that records have, where these
--   are few
-- parameter centroids: relation, those before
-- parameter starts: integers, the starts that go on
-- parameter clusters: integer, number of centroids of each start
-- parameter codes: integers, number of codes of each category
-- parameter blocks: integers, for each category the number of its block
-- parameter strides: integers, for each category the factor of its code in the number of the block
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
        , {% if loop.first %}LIST_SUM(
            LIST_TRANSFORM(
            CAST(vector AS DOUBLE[])[{{ ns.first }}:],
            lambda share: share
            * share)){% else %}0.0::DOUBLE{% endif %}{% for count in codes %}{% if blocks[loop.index0] == block %}
            + (1 - 2 * vector[{{ ns.first }} + numbers.range
            // {{ strides[loop.index0] }} % {{ count }}]){% endif %}{% set ns.first = ns.first + count %}{% endfor %}
            AS part
    FROM RANGE({{ size }}) AS numbers
    CROSS JOIN running
),
parts{{ block }} AS MATERIALIZED (
    SELECT
        start
        , number
{% for cluster in range(1, clusters + 1) %}
        , ANY_VALUE(CASE WHEN cluster = {{ cluster }} THEN part END) AS d{{ cluster }}
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
        , ANY_VALUE(CASE WHEN cluster = {{ cluster }} THEN vector[{{ loop.index }}] END)
            AS m{{ cluster }}_{{ loop.index }}
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
        , {% for size in sizes %}{% if not loop.first %} + {% endif %}parts{{ loop.index0 }}.d{{ cluster }}{% endfor %}
            AS d{{ cluster }}
{% endfor %}
    FROM {{ combinations | relation }} AS combinations
{% for size in sizes %}
    LEFT JOIN parts{{ loop.index0 }}
        ON parts{{ loop.index0 }}.number
        = combinations.b{{ loop.index0 }}{% if not loop.first %}
        AND parts{{ loop.index0 }}.start = parts0.start{% endif %}

{% endfor %}
),
{% endif %}
distances AS (
    SELECT
        cells.*
        , before.start
{% for cluster in range(1, clusters + 1) %}
        ,
{% if combinations is not none %}
        combined.d{{ cluster }}
{% else %}
    {% for size in sizes %}
        parts{{ loop.index0 }}.d{{ cluster }}{{ loop | between(" +") }}
    {% else %}
        0.0::DOUBLE
    {% endfor %}
{% endif %}
{% for column in numeric %}
        + (cells.{{ column | identifier }} - before.m{{ cluster }}_{{ loop.index }})
            * (cells.{{ column | identifier }} - before.m{{ cluster }}_{{ loop.index }})
{% endfor %}
        AS d{{ cluster }}
{% endfor %}
    FROM {{ cells | relation }} AS cells
    CROSS JOIN before
{% if combinations is not none %}
    JOIN combined
        ON combined.start
        = before.start{% for size in sizes %} AND combined.b{{ loop.index0 }} = cells.b{{ loop.index0 }}{% endfor %}

{% else %}
{% for size in sizes %}
    LEFT JOIN parts{{ loop.index0 }} ON parts{{ loop.index0 }}.start = before.start
        AND parts{{ loop.index0 }}.number = cells.b{{ loop.index0 }}
{% endfor %}
{% endif %}
),
nearest AS (
    SELECT
        distances.*
        , LEAST({% for cluster in range(1, clusters + 1) %}{% if not loop.first %},
            {% endif %}d{{ cluster }}{% endfor %}) AS squared_distance
    FROM distances
),
assigned AS {% if combinations is none %}MATERIALIZED {% endif %}(
    SELECT
        start
        , CASE squared_distance{% for cluster in range(1, clusters + 1) %} WHEN d{{ cluster }}
            THEN {{ cluster }}{% endfor %} END AS cluster
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
    SELECT start, cluster, times,
        UNNEST([{% for count in codes %}{% if blocks[loop.index0] == block %}{% if ns.listed %},
        {% endif %}{{ ns.first }} + number
        // {{ strides[loop.index0] }} %
        {{ count }}{% set ns.listed = true %}{% endif %}{% set ns.first = ns.first + count %}{% endfor %}]) AS code
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
            CAST([{% for column in numeric %}{% if not loop.first %},
                {% endif %}MIN(numbers.{{ column | identifier }}){% endfor %}] AS DOUBLE[])
            , LIST(CAST(COALESCE(shares.times, 0) AS DOUBLE) / numbers.times ORDER BY codes.range)
        ) AS DOUBLE[{{ dimensions | literal }}]) AS vector
        , MIN(numbers.inertia) AS inertia
    FROM numbers
    CROSS JOIN RANGE({{ dimensions - numeric | length }}) AS codes
    LEFT JOIN shares ON shares.start = numbers.start AND shares.cluster = numbers.cluster AND shares.code = codes.range
    GROUP BY numbers.start, numbers.cluster
{% else %}
        , CAST([{% for column in numeric %}{% if not loop.first %},
            {% endif %}numbers.{{ column | identifier }}{% endfor %}] AS DOUBLE[{{ dimensions | literal }}]) AS vector
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

-- name: kmeans_inertia
-- The sum of the squared distances to the centroids before the last iteration, for each start.
--
-- parameter centroids: relation, those of now
SELECT start, CAST(SUM(CAST(inertia AS DECIMAL(38, 10))) AS DOUBLE) AS inertia
FROM {{ centroids | relation }} AS centroids
GROUP BY start
ORDER BY start

-- name: keep_centroids
-- Stores the centroids of one start under another name.
--
-- takes: name
-- parameter centroids: relation, of several starts
-- parameter start: integer, whose are kept
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT start, cluster, vector, inertia
FROM {{ centroids | relation }} AS centroids
WHERE start = {{ start }}

-- name: kmeans_moved
-- Creates the table of the first centroids of the release: those of the population, shifted by the mean.
-- takes: name, dimensions
-- parameter centroids: relation, those of the population
-- parameter population: relation, its mean as the one centroid
-- parameter released: relation, that of the release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    0 AS start
    , centroids.cluster
    , CAST(LIST_TRANSFORM(
        RANGE(1, {{ dimensions }} + 1), lambda i: centroids.vector[i] + (released.vector[i] - population.vector[i]))
        AS DOUBLE[{{ dimensions | literal }}]) AS vector
    , CAST(NULL AS DOUBLE) AS inertia
FROM {{ centroids | relation }} AS centroids
CROSS JOIN {{ population | relation }} AS population
CROSS JOIN {{ released | relation }} AS released

-- name: centroid_distances
-- The distance between each centroid of the population and each centroid of the release.
-- parameter population: relation, the centroids of the population
-- parameter released: relation, those of the release
SELECT ARRAY_DISTANCE(population.vector, released.vector) AS distance
FROM {{ population | relation }} AS population
CROSS JOIN {{ released | relation }} AS released
ORDER BY population.cluster, released.cluster

-- name: kmeans_features
-- Creates the table of records as their distances to centroids, rotated about the origin.
--
-- definition: each column is a row of the matrix times the distances; its rows are orthonormal, so that the records
--   are as far from each other as their distances are
-- source: the attack by k-means of the report on PWS Cup 2020
--
-- takes: name, points
-- parameter centroids: relation, the centroids
-- parameter order: integers, the centroids in the order of the distances
-- parameter matrix: texts or none, its rows, each the text of a list of numbers; none leaves the distances as they are
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH last AS (
    SELECT
        1 AS one
{% for cluster in order %}
        , (SELECT vector FROM {{ centroids | relation }} AS centroids WHERE cluster = {{ cluster | literal }})
            AS v{{ loop.index }}
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
        , ARRAY_VALUE({{ order | each("ARRAY_DISTANCE(points.vector, last.v{n})") }}) AS distances
    FROM {{ points | relation }} AS points
    CROSS JOIN last
) AS told

-- name: first_features
-- The first records as their distances to centroids.
--
-- parameter source: relation, the records
-- parameter columns: integer, number of distances
-- parameter max_records: integer, largest number of records
SELECT {{ range(1, columns + 1) | each("n{x}") }}

FROM {{ source | relation }} AS records
WHERE record < {{ max_records }}
ORDER BY record
