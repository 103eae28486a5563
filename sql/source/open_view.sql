-- open_view
-- Opens a relation under a name, with its columns renamed by position.
--
-- portable: no
--
-- parameter name: column, the view's name
-- parameter source: relation, the records
-- parameter names: columns, one new name a column
-- parameter where: expression or none, a condition that the records must meet
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT * FROM (
    SELECT * FROM {{ source | relation }}
{% if where is not none %}
    WHERE ({{ where | expression }}
    )
{% endif %}
) AS opened({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
