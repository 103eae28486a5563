-- risk_of_few_values
-- The figures of attribute_risk for attributes with few distinct values.
--
-- idea: the values of an attribute are the bits of a word, so one grouping of all records by user yields the users of
--   each value of many attributes. Tests hold the figures equal to those of attribute_risk.
-- source: as attribute_risk
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record

-- name: numbered_few_values
-- Numbers the distinct values of an attribute from 0, with the records of each.
--
-- missing: a record without a user or without a value is left out
--
-- takes: source, user
-- parameter attribute: attribute, the values to number
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH history AS (
    SELECT {{ user | person }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
)
SELECT value, records, code, CASE WHEN code < 60 THEN CAST(1 AS BIGINT) << CAST(code AS INTEGER) END AS value_bit
FROM (
    SELECT value, records, ROW_NUMBER() OVER () - 1 AS code
    FROM (
        SELECT value, COUNT(*) AS records
        FROM history
        WHERE value IS NOT NULL AND user_id IS NOT NULL
        GROUP BY value
    ) AS counted
) AS numbered

-- name: risk_of_few_values
-- The figures of attribute_risk for several attributes of at most 60 values each, in one scan of the records.
--
-- takes: source, user
-- parameter attributes: attributes, each by itself
-- parameter tables: texts, the table of numbered_few_values for each attribute
-- parameter sizes: integers, values of each attribute
-- parameter words: integers, the word with the bits of each attribute: attributes share words of 60 bits
-- parameter shifts: integers, index of the first bit of each attribute
-- parameter k: integer, a value shared by fewer than k users counts as rare
WITH history AS (
    SELECT
        {{ user | person }} AS user_id{% for attribute in attributes %},
        {{ attribute | value }} AS value_{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
),
-- A user's values of an attribute: bits of a word.
owned AS (
    SELECT
        history.user_id{% for word in range(words | max + 1) %},
        BIT_OR({% for i in range(words | length) if words[i] == word %}(
            COALESCE(few_{{ i }}.value_bit, 0) << {{ shifts[i] }}){{ loop | between(" | ") }}{% endfor %})
            AS word_{{ word }}{% endfor %}

    FROM history
{% for table in tables %}
    LEFT JOIN {{ table | identifier }} AS few_{{ loop.index0 }}
        ON few_{{ loop.index0 }}.value = history.value_{{ loop.index0 }}
{% endfor %}
    WHERE history.user_id IS NOT NULL
    GROUP BY history.user_id
),
sums AS MATERIALIZED (
    SELECT
{% for size in sizes %}
{% set place = loop.index0 %}
        [{% for code in range(size) %}COUNT(
            CASE WHEN (word_{{ words[place] }} & {{ 2 ** (code + shifts[place]) }}) <> 0
            THEN 1 END){{ loop | between(", ") }}{% endfor %}] AS users_{{ place }}{{ loop | between }}
{% endfor %}
    FROM owned
),
knowledge AS (
{% for table in tables %}
    SELECT {{ loop.index0 }} AS position, few.records, sums.users_{{ loop.index0 }}[few.code + 1] AS users
    FROM {{ table | identifier }} AS few CROSS JOIN sums
    UNION ALL
{% endfor %}
    -- An attribute without values has its row as well.
    SELECT position, 0, NULL
    FROM (VALUES {{ tables | each("({i})") }}) AS positions (position)
),
-- include: attribute_risk_figures
