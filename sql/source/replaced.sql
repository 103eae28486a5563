-- replaced
-- The records with other expressions for some columns.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter attributes: attributes, what stands for the column that each is called by
(
    SELECT * REPLACE ({% for attribute in attributes %}{{ attribute | value }} AS {{ attribute.name | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
    FROM {{ source | relation }}
)
