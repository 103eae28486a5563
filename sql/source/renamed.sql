-- renamed
-- A relation with its columns renamed by position and its records restricted, for people.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter names: columns, one new name a column
-- parameter where: expression or none, a condition that the records must meet
(
    SELECT *
    FROM (SELECT * FROM {{ source | relation }}) AS opened({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
{% if where is not none %}
    WHERE ({{ where | expression }}
    )
{% endif %}
)
