-- swap_values
-- What a record adds to each of its cells, as a list in the order of these.
--
-- portable: no
--
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter trees: integers, the numbers of trees
-- parameter bits: integer, of the low half of a product
[
{% for column in attributes %}
{% set first = loop.index0 %}
{% if not loop.first %}, {% endif %}
{% if column[0] == "n" %}
    a{{ first }}, 1
{% else %}
    1
{% endif %}
{% for other in attributes[first:] %}
{% set second = first + loop.index0 %}
{% if column[0] == "n" and other[0] == "n" %}
    , (a{{ first }} * a{{ second }}) >> {{ bits }}, (a{{ first }} * a{{ second }}) & ((CAST(1 AS BIGINT) << {{ bits }}) - 1)
{% elif first < second %}
    , {% if column[0] == "n" %}a{{ first }}{% elif other[0] == "n" %}a{{ second }}{% else %}1{% endif %}

{% endif %}
{% endfor %}
{% endfor %}
{% for tree in trees %}
    , 1
{% endfor %}
]
