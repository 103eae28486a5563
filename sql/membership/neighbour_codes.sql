-- neighbour_codes
-- Makes the table of codes: the values of each category in two tables of records, numbered from 0.
--
-- missing: there are no missing values; they were refused before
-- portable: no
--
-- parameter name: column, the table
-- parameter tables: texts, the two tables of records
-- parameter columns: columns, the categories
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT {{ loop.index0 }} AS place, value
    FROM (
{% for table in tables %}
{% if not loop.first %}
        UNION
{% endif %}
        SELECT {{ column | identifier }} AS value FROM {{ table | relation }} AS records GROUP BY {{ column | identifier }}
{% endfor %}
    ) AS values_of_{{ loop.index0 }}
{% endfor %}
)
SELECT place, value, ROW_NUMBER() OVER (PARTITION BY place ORDER BY value) - 1 AS code
FROM found
