-- written
-- Finds the forms of numbers and days in columns of texts: those that the first records allow are counted.
--
-- source: our own
-- runs: finish
--
-- parameter source: relation, the records

-- name: first_values
-- First records of some columns, each value cut to the length of any number or day.
-- takes: source
-- parameter columns: columns, of texts or whole numbers
-- parameter most: integer, number of records
SELECT {{ columns | each("LEFT(CAST({x.identifier} AS VARCHAR), 200) AS {x.identifier}") }}
FROM {{ source | relation }}
LIMIT {{ most | literal }}

-- name: extreme_values
-- The least and the greatest value of some columns as texts, each cut to the length of any number or day.
-- takes: source
-- parameter columns: columns, of texts or whole numbers
WITH ends AS MATERIALIZED (
    SELECT
{% for column in columns %}
        MIN(LEFT(CAST({{ column | identifier }} AS VARCHAR), 200)) AS least{{ loop.index0 }},
        -- Without LEFT, DuckDB 1.5 returns eight bytes of the least text of a Parquet file.
        MAX(LEFT(CAST({{ column | identifier }} AS VARCHAR), 200)) AS greatest{{ loop.index0 }}{{ loop | between }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT {{ columns | each("least{i}") }} FROM ends
UNION ALL
SELECT {{ columns | each("greatest{i}") }} FROM ends

-- name: number_counts
-- Number of values that each form of numbers reads, and what distinguishes them from codes and lists.
--
-- takes: source
-- parameter texts: expressions, the texts of each form's column, as cell_text gives them
-- parameter columns: columns, the column of each form
-- parameter numbers: expressions, the texts v0, v1, ... as numbers, for forms that two texts can write as one number
-- parameter patterns: texts, the pattern of each form
-- parameter decimals: texts, the decimal sign of each form
-- parameter present: expressions, the texts t0, t1, ... without those that mean a missing value
WITH cells AS (
    SELECT {{ texts | each("{x.expression} AS t{i}, CAST({y.identifier} AS VARCHAR) AS a{i}", columns) }}
    FROM {{ source | relation }}
),
-- Each step is a query: an expression that occurs several times would be computed as often.
known AS (
    SELECT *, {{ present | each("{x.expression} AS v{i}") }}
    FROM cells
),
matched AS (
    SELECT *, {{ numbers | each("REGEXP_FULL_MATCH(t{i}, {y.literal}) AS m{i}, {x.expression} AS n{i}", patterns) }}
    FROM known
),
digits AS (
    SELECT *, {{ texts | each("CASE WHEN m{i} THEN REGEXP_REPLACE(t{i}, '[^0-9]', '', 'g') END AS d{i}") }}
    FROM matched
)
SELECT
{% for text in texts %}
    COUNT(v{{ loop.index0 }}) AS present{{ loop.index0 }},
    COUNT(CASE WHEN t{{ loop.index0 }} <> '' AND v{{ loop.index0 }} IS NULL THEN 1 END) AS marks{{ loop.index0 }},
    COUNT(CASE WHEN m{{ loop.index0 }} THEN 1 END) AS fitting{{ loop.index0 }},
    COUNT(CASE
        WHEN m{{ loop.index0 }} AND (
            CONTAINS(t{{ loop.index0 }}, {{ decimals[loop.index0] | literal }})
            OR REGEXP_MATCHES(t{{ loop.index0 }}, '[0-9][eE]')
        ) THEN 1
    END) AS fractions{{ loop.index0 }},
    COUNT(DISTINCT n{{ loop.index0 }}) AS numbers{{ loop.index0 }},
    COUNT(DISTINCT CASE WHEN n{{ loop.index0 }} IS NOT NULL THEN a{{ loop.index0 }} END) AS writings{{ loop.index0 }},
    COUNT(CASE WHEN TRIM(a{{ loop.index0 }}) <> t{{ loop.index0 }} THEN 1 END) AS wide{{ loop.index0 }},
    MIN(LENGTH(d{{ loop.index0 }})) AS shortest{{ loop.index0 }},
    MAX(LENGTH(LTRIM(d{{ loop.index0 }}, '0'))) AS longest{{ loop.index0 }},
    -- Lists such as "1,2" and "1,3" always rise, fractions do not.
    COUNT(CASE
        WHEN TRY_CAST(REGEXP_EXTRACT(t{{ loop.index0 }}, '([0-9]+),[0-9]+', 1) AS HUGEINT) = 0
            OR TRY_CAST(REGEXP_EXTRACT(t{{ loop.index0 }}, '([0-9]+),([0-9]+)', 1) AS HUGEINT)
            >= TRY_CAST(REGEXP_EXTRACT(t{{ loop.index0 }}, '([0-9]+),([0-9]+)', 2) AS HUGEINT) THEN 1
    END) AS falling{{ loop.index0 }}{{ loop | between }}
{% endfor %}
FROM digits

-- name: day_counts
-- Number of values of each column that a form of days reads, and their range; no row without records.
--
-- takes: source
-- parameter columns: columns, of texts or whole numbers
-- parameter text: expression, the text of the column cell, as cell_text gives it
-- parameter present: expression, the text t without those that mean a missing value
-- parameter parts: expression, the parts of the text v as day_parts gives them, or NULL
-- parameter day: expression, the day of the parts p of the text v
-- parameter different: flag, count distinct days and texts, too
WITH different AS (
    SELECT position, cell, COUNT(*) AS records
    FROM (
        SELECT
            CAST(UNNEST(RANGE({{ columns | length }})) AS INTEGER) AS position,
            UNNEST([{{ columns | each("CAST({x.identifier} AS VARCHAR)") }}]) AS cell
        FROM {{ source | relation }}
    ) AS cells
    GROUP BY position, cell
),
texts AS (
    SELECT position, records, {{ text | expression }} AS t
    FROM different
),
-- Each step is a query: an expression that occurs several times would be computed as often.
known AS (
    SELECT *, {{ present | expression }} AS v
    FROM texts
),
parted AS (
    SELECT *, {{ parts | expression }} AS p
    FROM known
),
days AS (
    SELECT *, {{ day | expression }} AS d
    FROM parted
)
SELECT
    position,
    CAST(COALESCE(SUM(CASE WHEN v IS NOT NULL THEN records END), 0) AS BIGINT) AS present,
    CAST(COALESCE(SUM(CASE WHEN t <> '' AND v IS NULL THEN records END), 0) AS BIGINT) AS marks,
    CAST(COALESCE(SUM(CASE WHEN d IS NOT NULL THEN records END), 0) AS BIGINT) AS fitting,
    MIN(CASE WHEN d IS NOT NULL THEN LENGTH(t) END) AS shortest,
    MAX(CASE WHEN d IS NOT NULL THEN LENGTH(t) END) AS longest,
{% if different %}
    COUNT(DISTINCT d) AS days,
    COUNT(DISTINCT CASE WHEN d IS NOT NULL THEN t END) AS texts,
{% else %}
    CAST(NULL AS BIGINT) AS days,
    CAST(NULL AS BIGINT) AS texts,
{% endif %}
    EXTRACT(YEAR FROM MIN(d)) AS first,
    EXTRACT(YEAR FROM MAX(d)) AS last
FROM days
GROUP BY position
ORDER BY position

-- name: last_years
-- The last year of some columns of days; years from 2100 on are placeholders.
-- takes: source
-- parameter columns: columns, of dates or moments
SELECT
{% for column in columns %}
    EXTRACT(YEAR FROM MAX(
        CASE WHEN {{ column | identifier }} < DATE '2100-01-01' THEN {{ column | identifier }} END
    )) AS {{ column | identifier }}{{ loop | between }}
{% endfor %}
FROM {{ source | relation }}
