-- create_release
-- Makes a table of the treated records in an attached database, in one transaction of its own.
--
-- portable: no
--
-- parameter name: relation, the table
-- parameter replaced: integer, 1 where a table of that name may be replaced
-- parameter source: relation, the treated records
-- parameter columns: columns, of the records
-- parameter names: columns, what they are called
-- parameter order: expression or none, what the records are ordered by; none keeps the order they come in
CREATE {% if replaced %}OR REPLACE {% endif %}TABLE {{ name | relation }} AS
SELECT
{% for column in columns %}
    {{ column | identifier }} AS {{ names[loop.index0] | identifier }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM {{ source | relation }} AS treated
{% if order is not none %}
ORDER BY {{ order | expression }}
{% endif %}
