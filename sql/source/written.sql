-- written
-- Finds how columns of texts write numbers and days: what the first records allow is counted over all of them.
--
-- source: our own
-- runs: finish
--
-- parameter source: relation, the records

-- name: first_cells
-- The first records of some columns, of each cell as much as any number or day is written with.
-- takes: source
-- parameter columns: columns, of texts or whole numbers
-- parameter most: integer, how many records
SELECT {% for column in columns %}LEFT(CAST({{ column | identifier }} AS VARCHAR), 200) AS {{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }}
LIMIT {{ most | literal }}

-- name: extreme_cells
-- The first and the last cell of some columns as texts, of each as much as any number or day is written with.
-- takes: source
-- parameter columns: columns, of texts or whole numbers
WITH ends AS MATERIALIZED (
    SELECT
{% for column in columns %}
        MIN(LEFT(CAST({{ column | identifier }} AS VARCHAR), 200)) AS least{{ loop.index0 }},
        -- DuckDB 1.5 has eight bytes of the least text of a Parquet file where nothing is done to the cells.
        MAX(LEFT(CAST({{ column | identifier }} AS VARCHAR), 200)) AS greatest{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM {{ source | relation }}
)
SELECT {% for column in columns %}least{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %} FROM ends
UNION ALL
SELECT {% for column in columns %}greatest{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %} FROM ends

-- name: number_counts
-- How many cells each way to write numbers reads, and what says that they are numbers.
--
-- takes: source
-- parameter texts: expressions, the cells of a column as cell_text gives them, one a way
-- parameter columns: columns, the column of each way
-- parameter numbers: expressions, the present texts v0, v1, ... as numbers where two writings of one would be told apart as texts
-- parameter patterns: texts, what the cells have to match
-- parameter decimals: texts, the decimal sign of each way
-- parameter present: expressions, the texts t0, t1, ... without those that mean a missing cell
WITH cells AS (
    SELECT {% for text in texts %}{{ text | expression }} AS t{{ loop.index0 }}, CAST({{ columns[loop.index0] | identifier }} AS VARCHAR) AS a{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
),
-- Each step is a query of its own: an expression that stands in several places is computed in each of them.
known AS (
    SELECT *{% for text in present %}, {{ text | expression }} AS v{{ loop.index0 }}{% endfor %}

    FROM cells
),
matched AS (
    SELECT *{% for number in numbers %}, REGEXP_FULL_MATCH(t{{ loop.index0 }}, {{ patterns[loop.index0] | literal }}) AS m{{ loop.index0 }}, {{ number | expression }} AS n{{ loop.index0 }}{% endfor %}

    FROM known
),
digits AS (
    SELECT *{% for text in texts %}, CASE WHEN m{{ loop.index0 }} THEN REGEXP_REPLACE(t{{ loop.index0 }}, '[^0-9]', '', 'g') END AS d{{ loop.index0 }}{% endfor %}

    FROM matched
)
SELECT
{% for text in texts %}
    COUNT(v{{ loop.index0 }}) AS present{{ loop.index0 }},
    COUNT(CASE WHEN t{{ loop.index0 }} <> '' AND v{{ loop.index0 }} IS NULL THEN 1 END) AS marks{{ loop.index0 }},
    COUNT(CASE WHEN m{{ loop.index0 }} THEN 1 END) AS fitting{{ loop.index0 }},
    COUNT(CASE WHEN m{{ loop.index0 }} AND (CONTAINS(t{{ loop.index0 }}, {{ decimals[loop.index0] | literal }}) OR REGEXP_MATCHES(t{{ loop.index0 }}, '[0-9][eE]')) THEN 1 END) AS fractions{{ loop.index0 }},
    COUNT(DISTINCT n{{ loop.index0 }}) AS numbers{{ loop.index0 }},
    COUNT(DISTINCT CASE WHEN n{{ loop.index0 }} IS NOT NULL THEN a{{ loop.index0 }} END) AS writings{{ loop.index0 }},
    COUNT(CASE WHEN TRIM(a{{ loop.index0 }}) <> t{{ loop.index0 }} THEN 1 END) AS wide{{ loop.index0 }},
    MIN(LENGTH(d{{ loop.index0 }})) AS shortest{{ loop.index0 }},
    MAX(LENGTH(LTRIM(d{{ loop.index0 }}, '0'))) AS longest{{ loop.index0 }},
    -- Lists such as "1,2" and "1,3" rise, and fractions do not always.
    COUNT(CASE WHEN TRY_CAST(REGEXP_EXTRACT(t{{ loop.index0 }}, '([0-9]+),[0-9]+', 1) AS HUGEINT) = 0 OR TRY_CAST(REGEXP_EXTRACT(t{{ loop.index0 }}, '([0-9]+),([0-9]+)', 1) AS HUGEINT) >= TRY_CAST(REGEXP_EXTRACT(t{{ loop.index0 }}, '([0-9]+),([0-9]+)', 2) AS HUGEINT) THEN 1 END) AS falling{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM digits

-- name: day_counts
-- How many cells of columns one way to write days reads, and what it reads, a row a column where there are records.
--
-- takes: source
-- parameter columns: columns, of texts or whole numbers
-- parameter text: expression, the column cell as cell_text gives it
-- parameter present: expression, the text t without those that mean a missing cell
-- parameter parts: expression, the parts of the present text v as day_parts gives them, or NULL
-- parameter day: expression, the day that the parts p of the present text v are
-- parameter different: flag, count different days and texts as well
WITH different AS (
    SELECT position, cell, COUNT(*) AS records
    FROM (
        SELECT
            CAST(UNNEST(RANGE({{ columns | length }})) AS INTEGER) AS position,
            UNNEST([{% for column in columns %}CAST({{ column | identifier }} AS VARCHAR){% if not loop.last %}, {% endif %}{% endfor %}]) AS cell
        FROM {{ source | relation }}
    ) AS cells
    GROUP BY position, cell
),
texts AS (
    SELECT position, records, {{ text | expression }} AS t
    FROM different
),
-- Each step is a query of its own: an expression that stands in several places is computed in each of them.
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
    {% if different %}COUNT(DISTINCT d){% else %}CAST(NULL AS BIGINT){% endif %} AS days,
    {% if different %}COUNT(DISTINCT CASE WHEN d IS NOT NULL THEN t END){% else %}CAST(NULL AS BIGINT){% endif %} AS texts,
    EXTRACT(YEAR FROM MIN(d)) AS first,
    EXTRACT(YEAR FROM MAX(d)) AS last
FROM days
GROUP BY position
ORDER BY position

-- name: last_years
-- The last year of some columns of days; sentinels beyond 2099 are no years.
-- takes: source
-- parameter columns: columns, of dates or moments
SELECT {% for column in columns %}EXTRACT(YEAR FROM MAX(CASE WHEN {{ column | identifier }} < DATE '2100-01-01' THEN {{ column | identifier }} END)) AS {{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }}
