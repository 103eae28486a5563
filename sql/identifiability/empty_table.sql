-- empty_table
-- Makes a table of whole numbers that the search fills.
--
-- portable: no
--
-- parameter table: column, its name
-- parameter numbers: columns, columns that hold a number of a person and the like
-- parameter number_bits: integer, their bits
-- parameter sets: columns, columns that hold attribute sets
-- parameter set_bits: integer, bits of an attribute set
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (
{% for column in numbers %}
    {{ column | identifier }} {{ number_bits | integer_type }}{% if sets or not loop.last %},{% endif %}

{% endfor %}
{% for column in sets %}
    {{ column | identifier }} {{ set_bits | integer_type }}{% if not loop.last %},{% endif %}

{% endfor %}
)
