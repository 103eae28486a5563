-- copy_release
-- Writes the treated records under the names that people know.
--
-- portable: no
--
-- parameter source: relation, the treated records
-- parameter columns: columns, of the records
-- parameter names: columns, what people call them
-- parameter order: expression or none, what the records are ordered by; none keeps the order they come in
-- parameter path: text, the file
-- parameter options: expression, of the file's format
COPY (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS {{ names[loop.index0] | identifier }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM {{ source | relation }} AS treated
{% if order is not none %}
    ORDER BY {{ order | expression }}
{% endif %}
) TO {{ path | literal }} ({{ options | expression }}, USE_TMP_FILE FALSE)
