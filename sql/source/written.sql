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
SELECT {% for column in columns %}MIN(LEFT(CAST({{ column | identifier }} AS VARCHAR), 200)){% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }}
UNION ALL
-- DuckDB 1.5 has eight bytes of the least text of a Parquet file where nothing is done to the cells.
SELECT {% for column in columns %}MAX(LEFT(CAST({{ column | identifier }} AS VARCHAR), 200)){% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }}

-- name: number_counts
-- How many cells each way to write numbers reads, and what says that they are numbers.
--
-- takes: source
-- parameter texts: expressions, the cells of a column as cell_text gives them, one a way
-- parameter columns: columns, the column of each way
-- parameter numbers: expressions, the cells of a column as numbers where two writings of one would be told apart as texts
-- parameter patterns: texts, what the cells have to match
-- parameter decimals: texts, the decimal sign of each way
-- parameter missing: texts, those that mean a missing cell
SELECT
{% for text in texts %}
    COUNT(CASE WHEN {{ text | expression }} NOT IN ({% for mark in missing %}{{ mark | literal }}{% if not loop.last %}, {% endif %}{% endfor %}) THEN 1 END) AS present{{ loop.index0 }},
    COUNT(CASE WHEN {{ text | expression }} <> '' AND {{ text | expression }} IN ({% for mark in missing %}{{ mark | literal }}{% if not loop.last %}, {% endif %}{% endfor %}) THEN 1 END) AS marks{{ loop.index0 }},
    COUNT(CASE WHEN REGEXP_FULL_MATCH({{ text | expression }}, {{ patterns[loop.index0] | literal }}) THEN 1 END) AS fitting{{ loop.index0 }},
    COUNT(CASE WHEN REGEXP_FULL_MATCH({{ text | expression }}, {{ patterns[loop.index0] | literal }}) AND (CONTAINS({{ text | expression }}, {{ decimals[loop.index0] | literal }}) OR REGEXP_MATCHES({{ text | expression }}, '[0-9][eE]')) THEN 1 END) AS fractions{{ loop.index0 }},
    COUNT(DISTINCT {{ numbers[loop.index0] | expression }}) AS numbers{{ loop.index0 }},
    COUNT(DISTINCT CASE WHEN {{ numbers[loop.index0] | expression }} IS NOT NULL THEN CAST({{ columns[loop.index0] | identifier }} AS VARCHAR) END) AS writings{{ loop.index0 }},
    COUNT(CASE WHEN TRIM(CAST({{ columns[loop.index0] | identifier }} AS VARCHAR)) <> {{ text | expression }} THEN 1 END) AS wide{{ loop.index0 }},
    MIN(CASE WHEN REGEXP_FULL_MATCH({{ text | expression }}, {{ patterns[loop.index0] | literal }}) THEN LENGTH(REGEXP_REPLACE({{ text | expression }}, '[^0-9]', '', 'g')) END) AS shortest{{ loop.index0 }},
    MAX(CASE WHEN REGEXP_FULL_MATCH({{ text | expression }}, {{ patterns[loop.index0] | literal }}) THEN LENGTH(LTRIM(REGEXP_REPLACE({{ text | expression }}, '[^0-9]', '', 'g'), '0')) END) AS longest{{ loop.index0 }},
    -- Lists such as "1,2" and "1,3" rise, and fractions do not always.
    COUNT(CASE WHEN TRY_CAST(REGEXP_EXTRACT({{ text | expression }}, '([0-9]+),[0-9]+', 1) AS HUGEINT) = 0 OR TRY_CAST(REGEXP_EXTRACT({{ text | expression }}, '([0-9]+),([0-9]+)', 1) AS HUGEINT) >= TRY_CAST(REGEXP_EXTRACT({{ text | expression }}, '([0-9]+),([0-9]+)', 2) AS HUGEINT) THEN 1 END) AS falling{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM {{ source | relation }}

-- name: day_counts
-- How many cells each way to write days reads, and what it reads.
--
-- takes: source
-- parameter texts: expressions, the cells of a column as cell_text gives them, one a way
-- parameter cells: expressions, the same as days
-- parameter missing: texts, those that mean a missing cell
SELECT
{% for text in texts %}
    COUNT(CASE WHEN {{ text | expression }} NOT IN ({% for mark in missing %}{{ mark | literal }}{% if not loop.last %}, {% endif %}{% endfor %}) THEN 1 END) AS present{{ loop.index0 }},
    COUNT(CASE WHEN {{ text | expression }} <> '' AND {{ text | expression }} IN ({% for mark in missing %}{{ mark | literal }}{% if not loop.last %}, {% endif %}{% endfor %}) THEN 1 END) AS marks{{ loop.index0 }},
    COUNT({{ cells[loop.index0] | expression }}) AS fitting{{ loop.index0 }},
    MIN(CASE WHEN {{ cells[loop.index0] | expression }} IS NOT NULL THEN LENGTH({{ text | expression }}) END) AS shortest{{ loop.index0 }},
    MAX(CASE WHEN {{ cells[loop.index0] | expression }} IS NOT NULL THEN LENGTH({{ text | expression }}) END) AS longest{{ loop.index0 }},
    COUNT(DISTINCT {{ cells[loop.index0] | expression }}) AS days{{ loop.index0 }},
    COUNT(DISTINCT CASE WHEN {{ cells[loop.index0] | expression }} IS NOT NULL THEN {{ text | expression }} END) AS texts{{ loop.index0 }},
    EXTRACT(YEAR FROM MIN({{ cells[loop.index0] | expression }})) AS first{{ loop.index0 }},
    EXTRACT(YEAR FROM MAX({{ cells[loop.index0] | expression }})) AS last{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM {{ source | relation }}

-- name: last_years
-- The last year of some columns of days; sentinels beyond 2099 are no years.
-- takes: source
-- parameter columns: columns, of dates or moments
SELECT {% for column in columns %}EXTRACT(YEAR FROM MAX(CASE WHEN {{ column | identifier }} < DATE '2100-01-01' THEN {{ column | identifier }} END)) AS {{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source | relation }}
