-- quasi_records
-- Each record's quasi-identifiers by the numbers of their values.
--
-- missing: a missing value has number 0, a value that is in no hierarchy has none
-- portable: no
--
-- parameter source: relation, the records with their number `record`
-- parameter columns: columns, the quasi-identifiers
-- parameter texts: integers, 1 where a value is found by its text
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_records AS
WITH records AS (
    SELECT
        record
{% for column in columns %}
        , {{ column | identifier }} AS value{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT
    record
{% for table in tables %}
    , CASE WHEN value{{ loop.index0 }} IS NULL THEN 0 ELSE v{{ loop.index0 }}.code END AS a{{ loop.index0 }}
{% endfor %}
FROM records
{% for table in tables %}
LEFT JOIN {{ table | identifier }} AS v{{ loop.index0 }}
    ON v{{ loop.index0 }}.value = {% if texts[loop.index0] %}CAST(value{{ loop.index0 }} AS VARCHAR){% else %}value{{ loop.index0 }}{% endif %}

{% endfor %}
