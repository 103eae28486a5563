-- tuples
-- The distinct tuples of quasi-identifiers: values by code, in the order of their hierarchies.
--
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- runs: finish
-- reads: quasi_rare, quasi_sensitive
-- makes: quasi_people, quasi_records, quasi_tuples
--
-- parameter source: relation, the records
-- parameter column: column, the quasi-identifier
-- parameter table: column, the table that is made
-- parameter columns: columns, the quasi-identifiers
-- parameter tables: columns, the tables of numbered values

-- name: quasi_numbers
-- Numbers the distinct numbers or moments of a quasi-identifier in their order, with positions from 0 to 1.
--
-- definition: position = (value - least) / (most - least); a value that is missing or not finite is at least 1 away
--   from all others
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- missing: a missing value is a value of its own, number 0
--
-- takes: source, column, table
-- parameter moments: flag, the values are dates or timestamps
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value FROM {{ source | relation }}
),
different AS (
    SELECT
        value,
        MIN(CAST(value AS VARCHAR)) AS label0,
{% if moments %}
        CASE WHEN ISFINITE(value) THEN EPOCH(value) WHEN value > DATE '2000-01-01' THEN CAST('inf' AS DOUBLE)
            ELSE CAST('-inf' AS DOUBLE) END
{% else %}
        CAST(value AS DOUBLE)
{% endif %}
            AS number
    FROM records
    WHERE value IS NOT NULL
    GROUP BY value
),
bounds AS (
    SELECT MIN(number) AS least, MAX(number) AS most FROM different WHERE ISFINITE(number)
)
SELECT
    value,
    label0,
    number AS amount,
    CAST(ROW_NUMBER() OVER (ORDER BY value) AS INTEGER) AS code,
    CASE
        WHEN ISNAN(number) THEN 3
        WHEN ISINF(number) THEN CASE WHEN number > 0 THEN 2 ELSE -2 END
        WHEN most = least THEN 0
        -- the difference of two huge numbers can be none
        WHEN ISFINITE(most - least) THEN (number - least) / (most - least)
        ELSE (number / 2 - least / 2) / (most / 2 - least / 2)
    END AS place
FROM different, bounds
UNION ALL
SELECT NULL, NULL, NULL, 0, -1

-- name: quasi_categories
-- Numbers the distinct values of a categorical quasi-identifier in the order of the leaves of its hierarchy.
--
-- definition: the leaves under every label are consecutive, so a label is the numbers from lo to hi; labels of one
--   level are ordered by their first leaf, leaves by their number or text
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- missing: a missing value is a leaf under the root, number 0
--
-- takes: source, column, table
-- parameter hierarchy: column or none, the table of the hierarchy with columns level0, level1, ...
-- parameter height: integer, the level of the root
-- parameter numeric: flag, the leaves are numbers
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
{% if hierarchy is none %}
    SELECT value, MIN(CAST(value AS VARCHAR)) AS level0
    FROM (SELECT {{ column | identifier }} AS value FROM {{ source | relation }})
    WHERE value IS NOT NULL
    GROUP BY value
{% else %}
    SELECT level0 AS value{% for level in range(height) %}, level{{ level }}{% endfor %}

    FROM {{ hierarchy | identifier }}
{% endif %}
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (ORDER BY {% if numeric %}TRY_CAST(level0 AS DOUBLE) NULLS LAST, {% endif %}level0,
        value) AS place
    FROM leaves
),
paths AS (
    SELECT
        *
{% for level in range(1, height) %}
        , MIN(place) OVER (PARTITION BY {{ range(height - 1, level - 1, -1) | each("level{x}") }}) AS first{{ level }}
{% endfor %}
    FROM ranked
),
numbered AS (
    SELECT
        *,
        CAST(ROW_NUMBER() OVER (ORDER BY {% for level in range(height - 1, 0, -1) %}first{{ level }}, {% endfor %}place)
            AS INTEGER) AS code
    FROM paths
)
SELECT
    value,
    level0 AS label0,
    code,
    CAST(0 AS DOUBLE) AS place
{% for level in range(1, height) %}
    , level{{ level }} AS label{{ level }}
    , MIN(code) OVER (PARTITION BY {{ range(height - 1, level - 1, -1) | each("first{x}") }}) AS lo{{ level }}
    , MAX(code) OVER (PARTITION BY {{ range(height - 1, level - 1, -1) | each("first{x}") }}) AS hi{{ level }}
{% endfor %}
FROM numbered
UNION ALL
SELECT NULL, NULL, 0, 0{% for level in range(1, height) %}, NULL, 0, 0{% endfor %}

-- name: ambiguous_labels
-- Whether a set of the values of a quasi-identifier could be read in two ways.
--
-- definition: {a, b} is read by its braces and separators, so no value may hold a separator or look like a set
--
-- takes: table
SELECT COUNT(*) > 0 AS ambiguous
FROM {{ table | identifier }}
WHERE label0 LIKE '%;%' OR label0 LIKE '%, %' OR STARTS_WITH(label0, '{') OR label0 = '*'

-- name: starred_labels
-- Whether a prefix such as 12* could be read as a value of a quasi-identifier.
--
-- takes: table
SELECT COUNT(*) > 0 AS starred FROM {{ table | identifier }} WHERE ENDS_WITH(label0, '*')

-- name: quasi_people
-- Numbers the people in the order of their keys.
--
-- missing: a record without a person belongs to nobody
--
-- parameter source: relation, the records
-- parameter user: column, the person behind a record
CREATE OR REPLACE TEMP TABLE quasi_people AS
SELECT user_key, ROW_NUMBER() OVER (ORDER BY user_key) AS person
FROM (SELECT DISTINCT {{ user | identifier }} AS user_key FROM {{ source | relation }})
WHERE user_key IS NOT NULL

-- name: count_people
-- The number of people.
SELECT COUNT(*) AS people FROM quasi_people

-- name: quasi_records
-- The codes of each record's quasi-identifiers.
--
-- missing: a missing value has number 0, a value that is in no hierarchy has none
--
-- takes: columns, tables
-- parameter source: relation, the records with their number `record`
-- parameter texts: integers, 1 where a value is found by its text
-- parameter user: column or none, the person behind a record
-- parameter sensitive: integers, the numbers of the sensitive values that a tuple has
CREATE OR REPLACE TEMP TABLE quasi_records AS
WITH records AS (
    SELECT
        record
{% if user is not none %}
        , {{ user | identifier }} AS user_key
{% endif %}
{% for column in columns %}
        , {{ column | identifier }} AS value{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT
    records.record
{% if user is not none %}
    , people.person
{% endif %}
{% for value in sensitive %}
    , rare{{ value }}.value AS s{{ value }}
{% endfor %}
{% for table in tables %}
    , CASE WHEN value{{ loop.index0 }} IS NULL THEN 0 ELSE v{{ loop.index0 }}.code END AS a{{ loop.index0 }}
{% endfor %}
FROM records
{% if user is not none %}
LEFT JOIN quasi_people AS people ON people.user_key = records.user_key
{% endif %}
{% if sensitive %}
JOIN quasi_sensitive AS own ON own.record = records.record
{% endif %}
{% for value in sensitive %}
LEFT JOIN quasi_rare AS rare{{ value }} ON rare{{ value }}.value = own.s{{ value }}
{% endfor %}
{% for table in tables %}
LEFT JOIN {{ table | identifier }} AS v{{ loop.index0 }}
    ON v{{ loop.index0 }}.value
        = {% if texts[loop.index0] %}CAST(value{{ loop.index0 }} AS VARCHAR){% else %}value{{ loop.index0 }}{% endif %}

{% endfor %}

-- name: quasi_tuples
-- The distinct tuples of quasi-identifiers, numbered in the order of their values, with their records.
--
-- definition: where classes count people, the records of each person have tuples of their own
--
-- takes: columns
-- parameter more: columns, what else a tuple has: the person, or sensitive values
CREATE OR REPLACE TEMP TABLE quasi_tuples AS
WITH different AS (
    SELECT {{ columns | each("a{i}") }}{{ more | each(", {x.identifier}", between="") }}, COUNT(*) AS n
    FROM quasi_records
    GROUP BY ALL
)
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ columns | each("a{i}") }}{{ more | each(", {x.identifier}", between="") }}) AS tuple,
    n
{% for name in more %}
    , {{ name | identifier }}
{% endfor %}
{% for column in columns %}
    , a{{ loop.index0 }}
{% endfor %}
FROM different

-- name: quasi_totals
-- The number of leaves of each quasi-identifier, and of records with a value missing in its hierarchy.
--
-- missing: a missing value is a leaf where there is one
--
-- takes: tables
{% for table in tables %}
SELECT
    {{ loop.index0 }} AS attribute,
    (SELECT COUNT(*) FROM {{ table | identifier }} WHERE code > 0)
    + COALESCE(MAX(CASE WHEN a{{ loop.index0 }} = 0 THEN 1 END), 0) AS leaves,
    CAST(COALESCE(SUM(CASE WHEN a{{ loop.index0 }} IS NULL THEN n END), 0) AS BIGINT) AS uncovered,
    CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records,
    COUNT(*) AS tuples
FROM quasi_tuples
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY attribute
