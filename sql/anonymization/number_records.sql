-- number_records
-- The records with their number, from 0, in the order of the source.
--
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER () - 1 AS record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
