-- mean_of_numbers
-- The mean of the numbers of a group.
--
-- definition: sum / count; of whole numbers rounded to a whole one, halves away from zero. Floating-point numbers
--   are added in their order, so that the sum is the same each time
-- source: microaggregation
-- portable: no
--
-- parameter way: text, one of whole, decimal, real, day, moment
{% if way == 'real' %}
SUM(number ORDER BY number) / COUNT(*)
{% elif way == 'decimal' %}
CAST(SUM(number) AS DOUBLE) / COUNT(*)
{% else %}
(2 * SUM(number) + SIGN(SUM(number)) * COUNT(*)) // (2 * COUNT(*))
{% endif %}
