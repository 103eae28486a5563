-- exposure
-- The records of a table that are most exposed: those furthest from the records nearest to them.
--
-- idea: any other records give an upper bound of a record's exposure. Records near in an order of the table give a
--   close one, so that few records have to be compared with all others to find the most exposed, exactly.
-- source: Meeus, Guepin, Cretu and de Montjoye, Achilles' Heels, ESORICS 2023 (arXiv 2306.10308); the bounds are our
--   own
-- runs: finish
--
-- parameter name: column, the table
-- parameter points: relation, the records for distances
-- parameter distance: expression, of asked and other
-- parameter nearest: integer, number of nearest records whose mean is the exposure
-- parameter bounds: relation, an upper bound of each record's exposure
-- parameter records: integer, number of most exposed records

-- name: exposure_points
-- Creates the table of records for distances: categories as codes, numbers as a vector of length 1.
--
-- definition: numbers are scaled to 0..1 by their minimum and maximum. z is 1 for a record whose numbers are all at
--   their minimum, which has no direction, else 0
-- missing: missing values of a category are equal; a missing number is at the minimum
--
-- takes: name
-- parameter source: relation, the records
-- parameter categories: columns, those of categories
-- parameter numeric: columns, those of numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH
{% for column in categories %}
codes{{ loop.index0 }} AS (
    SELECT {{ column | identifier }} AS value, ROW_NUMBER() OVER (ORDER BY {{ column | identifier }}) AS code
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY {{ column | identifier }}
),
{% endfor %}
limits AS (
    SELECT
        COUNT(*) AS records
{% for column in numeric %}
        , MIN(CAST({{ column | identifier }} AS DOUBLE)) / 2 AS least{{ loop.index0 }}
        , MAX(CAST({{ column | identifier }} AS DOUBLE)) / 2 AS most{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }} AS records
),
scaled AS (
    SELECT
        records.record
{% for column in categories %}
        , CAST(COALESCE(codes{{ loop.index0 }}.code, 0) AS INTEGER) AS c{{ loop.index0 }}
{% endfor %}
{% for column in numeric %}
        , COALESCE((CAST({{ column | identifier }} AS DOUBLE) / 2 - least{{ loop.index0 }})
            / NULLIF(most{{ loop.index0 }} - least{{ loop.index0 }}, 0), 0) AS x{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }} AS records
    CROSS JOIN limits
{% for column in categories %}
    LEFT JOIN codes{{ loop.index0 }} ON codes{{ loop.index0 }}.value = records.{{ column | identifier }}
{% endfor %}
),
measured AS (
    SELECT
        scaled.*
        , SQRT({% for column in numeric %}x{{ loop.index0 }} * x{{ loop.index0 }} + {% endfor %}0.0) AS length
    FROM scaled
)
SELECT
    record
{% for column in categories %}
    , c{{ loop.index0 }}
{% endfor %}
{% for column in numeric %}
    , CASE WHEN length > 0 THEN x{{ loop.index0 }} / length ELSE 0 END AS u{{ loop.index0 }}
{% endfor %}
    , CASE WHEN length > 0 THEN 0.0::DOUBLE ELSE 1.0::DOUBLE END AS z
FROM measured
ORDER BY record

-- name: exposure_sizes
-- The number of records, and of the values of each category.
-- takes: points
-- parameter columns: columns, of the codes
SELECT
    COUNT(*) AS records,
    CAST([{{ columns | each("COALESCE(MAX({x.identifier}), 0)") }}] AS BIGINT[]) AS codes
FROM {{ points | relation }} AS points

-- name: exposure_bounds
-- Creates the table of upper bounds of exposures: the records of the same block in each of several orders.
--
-- definition: the smallest over the orders of the mean of the nearest records of the block; a record with fewer others
--   in its blocks has no bound (infinity)
--
-- takes: name, points, distance, nearest
-- parameter orders: texts, the columns of each order
-- parameter size: integer, records of a block
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
{% for columns in orders %}
{% if loop.first %}
WITH
{% else %}
,
{% endif %}
placed{{ loop.index0 }} AS (
    SELECT
        (ROW_NUMBER() OVER (ORDER BY {{ columns | identifiers }}, record) - 1) // {{ size }} AS block
        , points.*
    FROM {{ points | relation }} AS points
),
means{{ loop.index0 }} AS (
    SELECT asked.record, MIN({{ distance | expression }}, {{ nearest }}) AS least
    FROM placed{{ loop.index0 }} AS asked
    JOIN placed{{ loop.index0 }} AS other ON other.block = asked.block AND other.record <> asked.record
    GROUP BY asked.record
)
{% endfor %}
, bounds AS (
{% for columns in orders %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT record, CASE WHEN LEN(least) = {{ nearest }} THEN ROUND(LIST_SUM(least) / {{ nearest }}, 12) END AS bound
    FROM means{{ loop.index0 }}
{% endfor %}
)
SELECT points.record, COALESCE(MIN(bounds.bound), CAST('inf' AS DOUBLE)) AS bound
FROM {{ points | relation }} AS points
LEFT JOIN bounds ON bounds.record = points.record
GROUP BY points.record

-- name: exposures
-- Creates the table of the exposures of some records, compared with all others.
--
-- definition: those with the largest bounds, or those not yet known whose bound is not below the exposure of the last
--   of the most exposed so far; or those that are drawn. Exposures are rounded to 12 digits
--
-- takes: name, points, distance, nearest, bounds, records
-- parameter known: relation or none, exposures that are known
-- parameter seed: integer or none, another seed draws anew; none takes the largest bounds
-- parameter limit: integer, largest number of records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH chosen AS (
    SELECT bounds.record
    FROM {{ bounds | relation }} AS bounds
{% if known is not none %}
    WHERE bounds.record NOT IN (SELECT record FROM {{ known | relation }} AS known)
        AND bounds.bound >= (
        SELECT COALESCE(MIN(exposure), 0)
        FROM (
            SELECT exposure FROM {{ known | relation }} AS known ORDER BY exposure DESC LIMIT {{ records }}
        ) AS most_exposed
    )
{% endif %}
    ORDER BY
        {% if seed is none %}bounds.bound DESC{% else %}MD5(CONCAT({{ seed | literal }}, ':', record)){% endif %},
        record
    LIMIT {{ limit }}
),
compared AS (
    SELECT asked.record, MIN({{ distance | expression }}, {{ nearest }}) AS least
    FROM {{ points | relation }} AS asked
    JOIN chosen ON chosen.record = asked.record
    JOIN {{ points | relation }} AS other ON other.record <> asked.record
    GROUP BY asked.record
)
SELECT record, ROUND(LIST_SUM(least) / LEN(least), 12) AS exposure, ROUND(least[1], 12) AS distance
FROM compared

-- name: exposed_records
-- Creates the table of the most exposed records, most first; of equal ones the first.
--
-- takes: name, records
-- parameter known: texts, tables of exposures, each record in one
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH exposures AS (
{% for table in known %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT record, exposure, distance FROM {{ table | relation }} AS part
{% endfor %}
),
ranked AS (
    SELECT record, exposure, distance, ROW_NUMBER() OVER (ORDER BY exposure DESC, record) AS place
    FROM exposures
)
SELECT *
FROM ranked
WHERE place <= {{ records }}

-- name: list_exposed
-- The most exposed records.
-- parameter exposed: relation, the most exposed records
SELECT place, record, exposure, distance
FROM {{ exposed | relation }} AS exposed
ORDER BY place

-- name: count_undecided
-- The number of records not compared with all others that might be among the most exposed.
--
-- takes: bounds, records
-- parameter known: texts, tables of exposures, each record in one
-- parameter exposed: relation, the most exposed records
WITH compared AS (
{% for table in known %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT record FROM {{ table | relation }} AS part
{% endfor %}
)
SELECT
    (SELECT COUNT(*) FROM compared) AS compared,
    COUNT(*) AS undecided
FROM {{ bounds | relation }} AS bounds
WHERE bounds.record NOT IN (SELECT record FROM compared)
    AND (SELECT COUNT(*) FROM {{ bounds | relation }} AS bounds) > 1
    -- Any of the others might fill a place that is still free.
    AND bounds.bound > (
        SELECT CASE WHEN COUNT(*) < {{ records }} THEN -1 ELSE MIN(exposure) END
        FROM {{ exposed | relation }} AS exposed
    )

-- name: typical_exposure
-- The median exposure of drawn records, with its interval.
--
-- definition: of n drawn exposures in order the one in the middle; the interval ends z sqrt(n) / 2 places from it, as
--   Binomial(n, 1/2) is nearly normal
-- source: Conover, Practical Nonparametric Statistics, 1971, interval of a quantile
-- missing: no value (NULL) without a record
--
-- parameter drawn: relation, the exposures of drawn records
-- parameter z: number, the quantile of the normal distribution, 1.96 for 95 percent
WITH listed AS (
    SELECT LIST(exposure ORDER BY exposure) AS exposures, COUNT(*) AS draws
    FROM {{ drawn | relation }} AS drawn
),
places AS (
    SELECT
        listed.*,
        CAST(FLOOR((draws - CAST({{ z | literal }} AS DOUBLE) * SQRT(draws)) / 2) AS BIGINT) AS first,
        CAST(CEIL((draws + CAST({{ z | literal }} AS DOUBLE) * SQRT(draws)) / 2) + 1 AS BIGINT) AS last
    FROM listed
)
SELECT
    draws,
    exposures[(draws + 1) // 2] AS median,
    exposures[GREATEST(1, first)] AS lower,
    exposures[LEAST(draws, last)] AS upper
FROM places
