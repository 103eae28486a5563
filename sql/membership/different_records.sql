-- different_records
-- Makes a table of the records that differ, each as the first of those that are equal.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the records with codes
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter words: columns, of packed codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    MIN(record) AS record
{% for column in numeric %}
    , {{ column | identifier }}
{% endfor %}
{% for column in categories %}
    , MIN({{ column | identifier }}) AS {{ column | identifier }}
{% endfor %}
{% for column in words %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
GROUP BY {% for column in numeric + words %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

