-- known_cells
-- The cells that are looked at, the tokens for a missing one being missing.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter attributes: attributes, the columns, their tokens being missing cells
-- parameter names: columns, what they are called
-- parameter user: column or none, of the record
(
    SELECT {% for attribute in attributes %}{{ attribute | value }} AS {{ names[loop.index0] | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}{% if user %}, {{ user | identifier }}{% endif %}

    FROM {{ source | relation }}
)
