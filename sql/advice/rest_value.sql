-- rest_value
-- The cells of the columns that no treatment changes, as one value that is there even where they are missing.
--
-- portable: no
--
-- parameter attributes: attributes, these columns as they are
STRUCT_PACK({% for attribute in attributes %}r{{ loop.index0 }} := {{ attribute | value }}{% if not loop.last %}, {% endif %}{% endfor %})
