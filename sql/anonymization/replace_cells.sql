-- replace_cells
-- The records with one column computed anew.
--
-- definition: a left join with a small table, where there is one, keeps all records, and so does the one list of a
--   domain
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter column: column, the one that is computed
-- parameter cell: expression, its new cell; a column of the looked-up table is written looked_up.column
-- parameter table: relation or none, the table that is looked up
-- parameter found: expression or none, when a row of that table belongs to a record
-- parameter listed: relation or none, a table of one row with the list of a domain, written domain.listed
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for each in columns %}
{% if each == column %}
    , {{ cell | expression }} AS {{ column | identifier }}
{% else %}
    , {{ each | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
{% if table is not none %}
LEFT JOIN {{ table | relation }} AS looked_up ON {{ found | expression }}
{% endif %}
{% if listed is not none %}
CROSS JOIN {{ listed | relation }} AS domain
{% endif %}
