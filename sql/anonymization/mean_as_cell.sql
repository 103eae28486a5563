-- mean_as_cell
-- The mean of a group as a value of the column.
--
-- definition: the reverse of cell_as_number, rounded to the column's places
-- source: microaggregation
-- portable: no
--
-- parameter way: text, one of whole, decimal, real, day, moment
-- parameter kind: expression, the type of the column
{% if way == 'day' %}
DATE '1970-01-01' + CAST(mean AS INTEGER)
{% elif way == 'moment' %}
CAST(MAKE_TIMESTAMP(CAST(mean AS BIGINT)) AS {{ kind | expression }})
{% else %}
CAST(mean AS {{ kind | expression }})
{% endif %}
