-- empty_table
-- Makes a table of whole numbers that the search fills.
--
-- portable: no
--
-- parameter table: column, its name
-- parameter columns: columns, its columns
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (
{% for column in columns %}
    {{ column | identifier }} BIGINT{% if not loop.last %},{% endif %}

{% endfor %}
)
