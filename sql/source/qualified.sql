-- qualified
-- A table by its full name as a relation.
--
-- portable: yes
--
-- parameter names: columns, the database, the schema and the table, as many as are known
{% for part in names %}{{ part | identifier }}{% if not loop.last %}.{% endif %}{% endfor %}
