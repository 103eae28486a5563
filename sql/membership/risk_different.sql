-- risk_different
-- Makes the table of the records that differ, in the order in which they first come: equal records are one.
--
-- source: Anonymeter, which singles out among different records
-- missing: missing values are equal
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the records with codes
-- parameter columns: columns, the codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY MIN(record)) - 1 AS record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
GROUP BY {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

