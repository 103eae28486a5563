-- key_order
-- The order of the lines of a key table.
--
-- definition: by user, then by period
-- source: every result has a total order
-- missing: first
-- portable: yes
--
-- parameter columns: columns, of the key table
{% for column in columns %}{{ column | identifier }} NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %}
