-- typed_records
-- The treated records with the types that Parquet holds, texts of which there are few as labels.
--
-- definition: a left join with the labels, each text once, keeps all records
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the treated records
-- parameter columns: columns, of the records
-- parameter labelled: columns, those that are written as labels
-- parameter labels: columns, the tables of their labels
-- parameter selected: expression, what to select of the columns, and of the number of the record at the end
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT *
FROM (
    SELECT {{ selected | expression }}
    FROM (
        SELECT
{% for column in columns %}
{% if column in labelled %}
            {{ labels[labelled.index(column)] | identifier }}.label AS {{ column | identifier }},
{% else %}
            treated.{{ column | identifier }},
{% endif %}
{% endfor %}
            treated.record
        FROM {{ source | relation }} AS treated
{% for column in labelled %}
        LEFT JOIN {{ labels[loop.index0] | identifier }} ON {{ labels[loop.index0] | identifier }}.value = treated.{{ column | identifier }}
{% endfor %}
    ) AS chosen
) AS typed({% for column in columns %}{{ column | identifier }}, {% endfor %}record)
