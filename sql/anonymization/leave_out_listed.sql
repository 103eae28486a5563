-- leave_out_listed
-- The records that a table does not list.
--
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter listed: column, the table
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
WHERE NOT EXISTS (SELECT 1 FROM {{ listed | identifier }} AS listed WHERE listed.record = records.record)
