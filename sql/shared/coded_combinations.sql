-- coded_combinations
-- The distinct records with their values as numbers, the attributes, and all small attribute sets.

WITH records AS (
    SELECT
        <record> AS record
{% for column in columns %}
        , {{ column | identifier }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
{% for column in columns %}
codes{{ loop.index0 }} AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v{{ loop.index0 }} AS value FROM records) AS different
    WHERE value IS NOT NULL
),
{% endfor %}
combinations AS MATERIALIZED (
    SELECT
        COUNT(*) AS records,
        CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(record) END AS record
{% for column in columns %}
        , COALESCE(codes{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
    FROM records
{% for column in columns %}
    LEFT JOIN codes{{ loop.index0 }} ON codes{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
    GROUP BY {{ columns | each("COALESCE(codes{i}.code, 0)") }}

),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name, CAST(1 AS BIGINT) << (place - 1) AS bit
    FROM (SELECT [{{ columns | literals }}] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << {{ columns | length }})) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= {{ max_size | literal }}
),
