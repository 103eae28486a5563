-- value_combinations
-- The records of a source encoded once, as distinct combinations of value numbers.
--
-- idea: the distinct values of each column are numbered, and a form of a column is a table from numbers to published
--   values. A treatment is measured on the combinations, so the records are read once.
-- source: our own
-- runs: finish
-- makes: advice_people, advice_records, advice_disclosed, advice_tuples
--
-- parameter source: relation, the records
-- parameter table: column, the table that is made
-- parameter columns: integer, number of columns with numbered values

-- name: rest_value
-- The values of the columns that no treatment changes, as one value that is present even if they are missing.
-- parameter attributes: attributes, these columns as they are
STRUCT_PACK({{ attributes | each("r{i} := {x.value}") }})

-- name: advice_values
-- Numbers the distinct values of a column from 1; a missing value is one of them.
-- takes: source, table
-- parameter attribute: attribute, the column as it is
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ attribute | value }} AS value FROM {{ source | relation }}
)
SELECT value, CAST(ROW_NUMBER() OVER () AS INTEGER) AS code
FROM (SELECT DISTINCT value FROM records) AS different

-- name: advice_records
-- Encodes the records once: value numbers, user and day, with the records of each distinct combination.
--
-- definition: "present" has a bit for each attribute that counts only by its presence
-- missing: a missing value has a number; a missing user or day stays missing
--
-- takes: source
-- parameter attributes: attributes, the columns whose values are numbered
-- parameter tables: texts, the tables with the numbers of their values
-- parameter presence_attributes: attributes, those that count only by their presence
-- parameter user: attribute or none, the user of a record
-- parameter users: column, the table with the numbers of the users, where there are any
-- parameter day: expression or none, the day of a record
CREATE OR REPLACE TEMP TABLE advice_records AS
WITH records AS (
    SELECT
        {% if user %}{{ user | value }}{% else %}NULL{% endif %} AS person,
        {% if day is not none %}{{ day | expression }}{% else %}CAST(NULL AS DATE){% endif %} AS day,
        CAST(0{% for attribute in presence_attributes %}
            | (CASE WHEN {{ attribute | value }} IS NULL THEN 0 ELSE {{ 2 ** loop.index0 }} END){% endfor %} AS BIGINT)
            AS present
{% for attribute in attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT
{% for table in tables %}
    c{{ loop.index0 }}.code AS c{{ loop.index0 }},
{% endfor %}
    records.present,
    {% if user %}CASE WHEN records.person IS NOT NULL THEN persons.code END{% else %}CAST(NULL AS INTEGER){% endif %}
        AS person,
    records.day,
    COUNT(*) AS records
FROM records
{% for table in tables %}
JOIN {{ table | identifier }} AS c{{ loop.index0 }}
    ON (c{{ loop.index0 }}.value IS NOT DISTINCT FROM records.v{{ loop.index0 }})
{% endfor %}
{% if user %}
JOIN {{ users | identifier }} AS persons ON (persons.value IS NOT DISTINCT FROM records.person)
{% endif %}
GROUP BY ALL

-- name: advice_tuples
-- Numbers the distinct combinations of values of all users.
-- takes: columns
CREATE OR REPLACE TEMP TABLE advice_tuples AS
SELECT *, ROW_NUMBER() OVER () AS tuple
FROM (
    SELECT
{% for i in range(columns) %}
        c{{ i }},
{% endfor %}
        present,
        CAST(SUM(records) AS BIGINT) AS records
    FROM advice_records
    GROUP BY {% for i in range(columns) %}c{{ i }}, {% endfor %}present
) AS combined

-- name: advice_disclosed
-- The information of the combinations of values: the sum of t log2 t over their records t, and all records.
--
-- source: Yamaoka and Itoh, section 5 (information U)
--
-- parameter columns: integers, those of the columns with numbered values that are information
CREATE OR REPLACE TEMP TABLE advice_disclosed AS
SELECT SUM(CAST(t * LOG2(t) AS DECIMAL(38, 12))) AS log_sum, CAST(SUM(t) AS BIGINT) AS records
FROM (
    SELECT SUM(records) AS t
    FROM advice_tuples
    GROUP BY {{ columns | each("c{x}") }}

) AS combined

-- name: advice_people
-- The combinations of values of each user on each day.
--
-- missing: records without a user are left out
--
-- takes: columns
CREATE OR REPLACE TEMP TABLE advice_people AS
SELECT advice_tuples.tuple, advice_records.person, advice_records.day, advice_records.records
FROM advice_records
JOIN advice_tuples
    ON advice_tuples.present = advice_records.present
{% for i in range(columns) %}
    AND advice_tuples.c{{ i }} = advice_records.c{{ i }}
{% endfor %}
WHERE advice_records.person IS NOT NULL

-- name: count_links
-- The links between records of the same user in the original table.
SELECT CAST(COALESCE(SUM(records), 0) - COUNT(DISTINCT person) AS BIGINT) AS links FROM advice_people

-- name: advice_form
-- The published value for each value of a column, in one form of the column.
--
-- definition: "cell" numbers the published values from 1, "leaves" is the number of values each covers; "k" numbers
--   the known values of each attribute from 1, 0 if missing
--
-- takes: table
-- parameter values: column, the table with the numbered values
-- parameter cell: attribute or none, the published form of a value; none publishes it unchanged
-- parameter known_attributes: attributes, the attributes known of a value
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH made AS (
    SELECT
        code,
        {% if cell %}{{ cell | value }}{% else %}code{% endif %} AS cell
{% for attribute in known_attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ values | identifier }} AS different
),
cells AS (
    SELECT cell, CAST(ROW_NUMBER() OVER () AS INTEGER) AS number, COUNT(*) AS leaves
    FROM made
    GROUP BY cell
)
{% for attribute in known_attributes %}
, known{{ loop.index0 }} AS (
    SELECT v{{ loop.index0 }}, CAST(ROW_NUMBER() OVER () AS INTEGER) AS number
    FROM made
    WHERE v{{ loop.index0 }} IS NOT NULL
    GROUP BY v{{ loop.index0 }}
)
{% endfor %}
SELECT
    made.code,
    cells.number AS cell,
    cells.leaves
{% for attribute in known_attributes %}
    , COALESCE(known{{ loop.index0 }}.number, 0) AS k{{ loop.index0 }}
{% endfor %}
FROM made
JOIN cells ON (cells.cell IS NOT DISTINCT FROM made.cell)
{% for attribute in known_attributes %}
LEFT JOIN known{{ loop.index0 }} ON known{{ loop.index0 }}.v{{ loop.index0 }} = made.v{{ loop.index0 }}
{% endfor %}

-- name: rest_counts
-- The number of values of each column that no treatment changes; a missing value counts.
-- parameter values: relation, the different combinations of their values
-- parameter columns: integer, number of these columns
SELECT [{{ range(columns) | each("COUNT(DISTINCT value.r{x}) + MAX(CASE WHEN value.r{x} IS NULL THEN 1 ELSE 0 END)") }}]
    AS counts
FROM {{ values | relation }} AS different

-- name: advice_form_counts
-- The numbers of values of a form's column, of distinct known values, and of wholly unknown values.
--
-- parameter table: column, the form
-- parameter known_attributes: integer, number of known attributes
SELECT
    COUNT(*) AS leaves
{% for i in range(known_attributes) %}
    , COALESCE(MAX(k{{ i }}), 0) AS k{{ i }}
    , CAST(COALESCE(SUM(CASE WHEN k{{ i }} = 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS m{{ i }}
{% endfor %}
FROM {{ table | identifier }}
