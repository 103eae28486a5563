-- spark_combinations
-- The combinations of the records' values in Spark SQL.
--
-- idea: rows have no numbers in Spark, so numbering is a sort that one worker does; this bounds the distinct values
--   and combinations
-- source: as the statements without spark__
-- runs: wide
--
-- parameter source: relation, the records
-- parameter table: column, the table that is made

-- name: spark__value_codes
-- Numbers the distinct values of an attribute from 1: as value_codes.
--
-- missing: a missing value has no number
--
-- takes: source, table
-- parameter attribute: attribute, whose values are numbered
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ attribute | value }} AS value FROM {{ source | relation }}
)
SELECT value, CAST(ROW_NUMBER() OVER (ORDER BY value) AS BIGINT) AS code
FROM (
    SELECT DISTINCT value
    FROM records
    WHERE value IS NOT NULL
) AS different

-- name: spark__combinations
-- The distinct combinations of the records' values, packed into words of 60 bits: as combinations.
--
-- definition: the number of a person without a user is that of their combination, which nobody shares; it stays the
--   same where coarser forms come in
--
-- takes: source, table
-- parameter attributes: attributes, in the order of their bits
-- parameter masks: integers, the bits of each field in its word
-- parameter set_bits: integer, bits of an attribute set
-- parameter tables: texts, the table with the numbered values of each attribute, or none
-- parameter own_count: integer, number of attributes whose missing values count
-- parameter words: integers, the word that holds the field of each attribute
-- parameter shifts: integers, where in its word a field begins
-- parameter user: column or none, the user of a record; none takes each record as a person
-- parameter persons: column, the table with the numbered users, where there are any
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        {% if user %}{{ user | identifier }} AS person, {% endif %}
{% for attribute in attributes %}

        {{ attribute | value }} AS v{{ loop.index0 }}{{ loop | between }}
{% endfor %}

    FROM {{ source | relation }}
),
packed AS (
    SELECT
        {% if user %}persons.code AS person{% else %}1 AS person{% endif %}

{% for word in range(words | max + 1) %}
        , {% for i in range(attributes | length) if words[i] == word %}{% if tables[i] %}COALESCE(c{{ i }}.code, 0)
            * CAST({{ 2 ** shifts[i] }} AS BIGINT){% else %}(
            CASE WHEN v{{ i }} IS NULL THEN CAST(0 AS BIGINT)
            ELSE CAST({{ 2 ** shifts[i] }} AS BIGINT) END){% endif %}{{ loop | between(" + ") }}{% endfor %}
            AS p{{ word }}
{% endfor %}
    FROM records
{% if user %}
    JOIN {{ persons | identifier }} AS persons ON persons.value = records.person
{% endif %}
{% for i in range(tables | length) if tables[i] %}
    LEFT JOIN {{ tables[i] | identifier }} AS c{{ i }} ON c{{ i }}.value = records.v{{ i }}
{% endfor %}
),
collapsed AS (
    SELECT
{% for word in range(words | max + 1) %}
        p{{ word }},
{% endfor %}
        CASE WHEN MIN(person) = MAX(person) THEN MIN(person) END AS person,
        COUNT(*) AS records
    FROM packed
    GROUP BY {{ range(words | max + 1) | each("p{x}") }}

)
SELECT
{% for word in range(words | max + 1) %}
    p{{ word }},
{% endfor %}
{% if user %}
    CAST(person AS BIGINT) AS id,
{% else %}
    CASE WHEN records = 1
        THEN CAST(ROW_NUMBER() OVER (ORDER BY {{ range(own_count) | each("p{y} & CAST({z} AS BIGINT)", words, masks) }})
        AS BIGINT) END AS id,
{% endif %}
    CAST(records AS BIGINT) AS records,
    CAST({{ range(own_count) |
        each("(CASE WHEN (p{y} & CAST({z} AS BIGINT)) = 0 THEN CAST({bit} AS BIGINT) ELSE CAST(0 AS BIGINT) END)",
        words, masks, between=" + ") }} AS {{ set_bits | integer_type }}) AS missing
FROM collapsed
