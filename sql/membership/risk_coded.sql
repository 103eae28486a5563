-- risk_coded
-- Makes the table of records with the number of each value in its place.
--
-- missing: a missing value is 0
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter tables: texts, the values of each attribute
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for table in tables %}
    , COALESCE(values{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS records
{% for table in tables %}
LEFT JOIN {{ table | relation }} AS values{{ loop.index0 }} ON values{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
