-- spark_roles
-- What tells who is who, as Spark SQL writes it.
--
-- source: as the statements without spark__
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 32 columns

-- name: spark__profile
-- What each column holds, in one pass: as profile.
--
-- missing: NULL is missing; every other value counts.
--
-- takes: source, columns
-- parameter texts: columns, those of the columns that hold text
-- parameter bytes: columns, those that hold bytes
-- parameter numbers: columns, those that hold numbers
WITH opened AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
),
counted AS (
    SELECT
        COUNT(*) AS records
{% for column in columns %}
        , COUNT(a{{ loop.index }}) AS present{{ loop.index }}
        , CAST(APPROX_COUNT_DISTINCT(CAST(a{{ loop.index }} AS STRING)) AS BIGINT) AS distinct{{ loop.index }}
        , COUNT(a{{ loop.index }}) = 0 OR MIN(a{{ loop.index }}) = MAX(a{{ loop.index }}) AS constant{{ loop.index }}
        , {% if column in texts %}CAST(SUM(LENGTH(a{{ loop.index }})) AS DOUBLE) / NULLIF(COUNT(a{{ loop.index }}), 0){% else %}CAST(NULL AS DOUBLE){% endif %} AS length{{ loop.index }}
        , {% if column in texts %}CAST(MAX(LENGTH(a{{ loop.index }})) AS BIGINT){% elif column in bytes %}CAST(MAX(OCTET_LENGTH(a{{ loop.index }})) AS BIGINT){% else %}CAST(NULL AS BIGINT){% endif %} AS longest{{ loop.index }}
        , {% if column in texts %}COUNT(CASE WHEN a{{ loop.index }} LIKE '% % % %' OR a{{ loop.index }} LIKE '%。%' OR a{{ loop.index }} LIKE '%、%' THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS blanks{{ loop.index }}
        , {% if column in texts %}COUNT(CASE WHEN LENGTH(TRIM(a{{ loop.index }})) >= 16 AND TRY_CAST(a{{ loop.index }} AS TIMESTAMP) IS NOT NULL THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS moments{{ loop.index }}
        , {% if column in texts %}COUNT(CASE WHEN a{{ loop.index }} LIKE '%_@_%.__%' THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS at{{ loop.index }}
        , {% if column in numbers %}CAST(MIN(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %} AS lowest{{ loop.index }}
        , {% if column in numbers %}CAST(MAX(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %} AS highest{{ loop.index }}
        , {% if column in numbers %}COUNT(CASE WHEN CAST(a{{ loop.index }} AS DOUBLE) % 1 <> 0 THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS fractions{{ loop.index }}
{% endfor %}
    FROM opened
)
{% for column in columns %}
SELECT
    {{ loop.index0 }} AS position,
    records,
    present{{ loop.index }} AS present,
    records - present{{ loop.index }} AS missing,
    distinct{{ loop.index }} AS distinct_values,
    constant{{ loop.index }} AS constant,
    length{{ loop.index }} AS mean_length,
    longest{{ loop.index }} AS longest,
    blanks{{ loop.index }} AS with_blanks,
    moments{{ loop.index }} AS moments,
    at{{ loop.index }} AS with_at,
    lowest{{ loop.index }} AS lowest,
    highest{{ loop.index }} AS highest,
    fractions{{ loop.index }} AS fractions
FROM counted
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position

-- name: spark__cell_shapes
-- How many of some cells of text columns hold digits, numbers, days or several words: as cell_shapes.
--
-- takes: source, columns
-- parameter most: integer, how many cells of each
{% for column in columns %}
SELECT
    {{ loop.index0 }} AS position,
    COUNT(*) AS cells,
    COUNT(CASE WHEN cell RLIKE '[0-9]' THEN 1 END) AS digits,
    COUNT(CASE WHEN TRY_CAST(REPLACE(cell, ',', '') AS DOUBLE) IS NOT NULL THEN 1 END) AS numbers,
    COUNT(CASE WHEN cell RLIKE '^([0-9]{4}|[0-9]{1,2})[-/.年][0-9]{1,2}[-/.月]([0-9]{4}|[0-9]{1,2})日?$' THEN 1 END) AS days,
    COUNT(CASE WHEN cell LIKE '% %' THEN 1 END) AS blanks
FROM (
    SELECT TRIM(CAST({{ column | identifier }} AS STRING)) AS cell
    FROM {{ source | relation }}
    WHERE {{ column | identifier }} IS NOT NULL
    LIMIT {{ most | literal }}
) AS cells{{ loop.index }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position

-- name: spark__replaced
-- The records as they are: long cells are carried whole.
--
-- takes: source
{{ source | relation }}
