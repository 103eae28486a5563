-- delete_records
-- The records without those that meet somebody's condition, written with the names that people know.
--
-- missing: a condition that is neither true nor false keeps the record
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter names: columns, what people call them, and a free name for the number of the record at the end
-- parameter where: expression, the condition
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    {{ names[-1] | identifier }} AS record
{% for column in columns %}
    , {{ names[loop.index0] | identifier }} AS {{ column | identifier }}
{% endfor %}
FROM (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS {{ names[loop.index0] | identifier }},
{% endfor %}
        record AS {{ names[-1] | identifier }}
    FROM {{ source | relation }} AS records
) AS opened
WHERE ({{ where | expression }}
) IS NOT TRUE
