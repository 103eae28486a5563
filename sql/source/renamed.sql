-- renamed
-- A relation with its columns renamed by position and its records restricted.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter names: columns or none, one new name a column, none keeps them
-- parameter where: expression or none, a condition that the records must meet
(
    SELECT *
    FROM {{ source | relation }} AS opened{% if names is not none %}({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}){% endif %}

{% if where is not none %}
    WHERE ({{ where | expression }}
    )
{% endif %}
)
