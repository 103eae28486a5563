-- summaries
-- One row a person instead of the records of a history.
--
-- definition: of each column the one value, the sum, the first and the last, the most frequent or the number of
--   different values of a person
-- source: aggregation by the unit that is protected: a row stands for all records of a person and hides each
-- missing: a missing value is no value; a record without a person is left out
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter user: column, of the person behind a record
-- parameter columns: columns, of the records

-- name: varying_columns
-- Whether somebody has several values of a column.
--
-- takes: source, user, columns
SELECT [{{ columns | each("COALESCE(BOOL_OR(low{i} <> high{i}), FALSE)") }}] AS varies
FROM (
    SELECT
        {{ user | identifier }}
{% for column in columns %}
        , MIN({{ column | identifier }}) AS low{{ loop.index0 }}
        , MAX({{ column | identifier }}) AS high{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }} AS records
    WHERE {{ user | identifier }} IS NOT NULL
    GROUP BY {{ user | identifier }}
) AS people

-- name: summarized_people
-- Creates the table of the people with figures of their records.
--
-- definition: "record" is the first one of the person; real numbers are added in ascending order, so that a sum is
--   deterministic; of values that are equally frequent the least is taken
--
-- takes: name, source, user, columns
-- parameter figures: texts, for each column one of same, sum, first, last, most_frequent, distinct
-- parameter bindings: columns, their names in the table
-- parameter kinds: expressions, the types of the sums
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    people.*
{% for column in columns %}
{% if figures[loop.index0] == 'most_frequent' %}
    , frequent{{ loop.index0 }}.value AS {{ bindings[loop.index0] | identifier }}
{% endif %}
{% endfor %}
FROM (
    SELECT
        MIN(record) AS record
        , {{ user | identifier }}
        , COUNT(*) AS person_records
{% for column in columns %}
{% set figure, cell = figures[loop.index0], column | identifier %}
{% if figure != 'most_frequent' %}
{% if figure == 'sum' and kinds[loop.index0] == 'DOUBLE' %}
        , SUM(CASE WHEN ISFINITE(CAST({{ cell }} AS DOUBLE)) THEN CAST({{ cell }} AS DOUBLE) END ORDER BY {{ cell }})
{% elif figure == 'sum' %}
        , CAST(SUM({{ cell }}) AS {{ kinds[loop.index0] | expression }})
{% elif figure == 'last' %}
        , MAX({{ cell }})
{% elif figure == 'distinct' %}
        , COUNT(DISTINCT {{ cell }})
{% else %}
        , MIN({{ cell }})
{% endif %}
            AS {{ bindings[loop.index0] | identifier }}
{% endif %}
{% endfor %}
    FROM {{ source | relation }} AS records
    WHERE {{ user | identifier }} IS NOT NULL
    GROUP BY {{ user | identifier }}
) AS people
{% for column in columns %}
{% if figures[loop.index0] == 'most_frequent' %}
LEFT JOIN (
    SELECT {{ user | identifier }}, value
    FROM (
        SELECT {{ user | identifier }}, {{ column | identifier }} AS value, COUNT(*) AS records
        FROM {{ source | relation }} AS records
        WHERE {{ user | identifier }} IS NOT NULL AND {{ column | identifier }} IS NOT NULL
        GROUP BY ALL
    ) AS counted
    QUALIFY ROW_NUMBER() OVER (PARTITION BY {{ user | identifier }} ORDER BY records DESC, value) = 1
) AS frequent{{ loop.index0 }}
    ON frequent{{ loop.index0 }}.{{ user | identifier }} = people.{{ user | identifier }}
{% endif %}
{% endfor %}

-- name: summary_records
-- Creates the table of the people that stands in place of the records, in the order of their first records.
--
-- takes: name, source, columns
-- parameter bindings: columns, their names in the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {{ columns | each("{x.identifier} AS {y.identifier}", bindings) }}
FROM {{ source | relation }} AS people
ORDER BY record
