-- typed_records
-- The treated records with the types that Parquet holds.
--
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the treated records
-- parameter columns: columns, of the records
-- parameter selected: expression, what to select of them, and of the number of the record at the end
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT *
FROM (
    SELECT {{ selected | expression }}
    FROM (
        SELECT
{% for column in columns %}
            {{ column | identifier }},
{% endfor %}
            record
        FROM {{ source | relation }} AS treated
    ) AS chosen
) AS typed({% for column in columns %}{{ column | identifier }}, {% endfor %}record)
