-- cell_as_number
-- A cell as a number that sums and means can be taken of exactly.
--
-- definition: a date as its day, a moment as its microsecond, a whole number as a wide one, others as they are
-- source: microaggregation
-- missing: stays missing
-- portable: no
--
-- parameter column: column, the cell
-- parameter way: text, one of whole, decimal, real, day, moment
{% if way == 'whole' %}
CAST({{ column | identifier }} AS HUGEINT)
{% elif way == 'real' %}
CAST({{ column | identifier }} AS DOUBLE)
{% elif way == 'day' %}
CAST({{ column | identifier }} - DATE '1970-01-01' AS HUGEINT)
{% elif way == 'moment' %}
CAST(EPOCH_US(CAST({{ column | identifier }} AS TIMESTAMP)) AS HUGEINT)
{% else %}
{{ column | identifier }}
{% endif %}
