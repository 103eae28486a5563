-- risk_targets
-- Makes the table of the records that are attacked, drawn from the original and from the control set.
--
-- definition: of each table the first in the order of MD5(seed:target:record); target counts them from 0
-- portable: yes
--
-- parameter name: column, the table
-- parameter tables: texts, the records with codes: the original, and the control set if there is one
-- parameter columns: columns, their codes
-- parameter attacks: integer, so many of each table at most
-- parameter seed: integer, another seed draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranked AS (
{% for table in tables %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT
        {{ loop.index0 }} AS origin
        , records.record
        , ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':target:', record)), record) AS turn
{% for column in columns %}
        , {{ column | identifier }}
{% endfor %}
    FROM {{ table | relation }} AS records
{% endfor %}
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY origin, turn) - 1 AS INTEGER) AS target
    , origin
    , record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM ranked
WHERE turn <= {{ attacks }}
