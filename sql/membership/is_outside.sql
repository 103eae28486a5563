-- is_outside
-- Whether a value is none that the contest knows.
--
-- definition: a number is whole and within the limits, a category one of the list
-- source: PWS Cup 2020, rules
-- missing: there are no missing values
-- portable: yes
--
-- parameter column: column, of an encoded table
-- parameter numeric: integer, 1 for numbers
-- parameter values: texts, the list, or the limits of numbers
{% if numeric %}
({{ column | identifier }} <> FLOOR({{ column | identifier }}) OR {{ column | identifier }} NOT BETWEEN CAST({{ values[0] | literal }} AS DOUBLE) AND CAST({{ values[1] | literal }} AS DOUBLE))
{% else %}
{{ column | identifier }} NOT IN ({% for value in values %}{{ value | literal }}{% if not loop.last %}, {% endif %}{% endfor %})
{% endif %}
