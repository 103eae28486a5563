-- keep_records
-- The records that meet a condition of ours.
--
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter kept: expression, the condition
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
WHERE {{ kept | expression }}
