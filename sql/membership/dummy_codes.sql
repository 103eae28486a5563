-- dummy_codes
-- The records by the numbers of dummies: each category that of its dummy, numbers scaled into [-1, 1]; columns a0, a1 and so on.
--
-- definition: one small whole number a category in place of one column a dummy: two attributes are then counted together
--   without any column of dummies
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter dummies: relation, all dummies
-- parameter scales: relation, those of numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
{% for column in attributes %}
{% if column[0] == "n" %}
    {% if not loop.first %}, {% endif %}(records.{{ column | identifier }} - known{{ loop.index0 }}.middle) / known{{ loop.index0 }}.width AS a{{ loop.index0 }}
{% else %}
    {% if not loop.first %}, {% endif %}known{{ loop.index0 }}.dummy AS a{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
{% for column in attributes %}
{% if column[0] == "n" %}
CROSS JOIN (SELECT middle, width FROM {{ scales | relation }} AS scales WHERE attribute = {{ loop.index0 }}) AS known{{ loop.index0 }}
{% else %}
JOIN (SELECT CAST(dummy AS SMALLINT) AS dummy, value FROM {{ dummies | relation }} AS dummies WHERE attribute = {{ loop.index0 }}) AS known{{ loop.index0 }}
    ON known{{ loop.index0 }}.value = records.{{ column | identifier }}
{% endif %}
{% endfor %}
