-- swap_cells
-- The cells of the sums that a record adds to, as a list.
--
-- definition: dummy * dummies + other for two dummies (dummy <= other); a number has a cell for its sum, one for its count, and
--   two for the high and the low half of its product with each number
-- portable: no
--
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter dummies: integer, how many there are
-- parameter places: integers, the first dummy of each attribute
-- parameter totals: integers, the cell of the sum of each number
-- parameter highs: integers, the cell of the high half for each two attributes, row by row
-- parameter trees: integers, the numbers of trees, in whose leaves records are counted
[
{% for column in attributes %}
{% set first = loop.index0 %}
{% if not loop.first %}, {% endif %}
{% if column[0] == "n" %}
    {{ totals[first] }}, b{{ first }}

{% else %}
    a{{ first }} * {{ dummies + 1 }}

{% endif %}
{% for other in attributes[first:] %}
{% set second = first + loop.index0 %}
{% set high = highs[first * (attributes | length) + second] %}
{% if column[0] == "n" and other[0] == "n" %}
    , {{ high }}, {{ high + 1 }}
{% elif first < second %}
    , {% if column[0] == "n" %}{{ places[first] * dummies }} + a{{ second }}{% elif other[0] == "n" %}a{{ first }} * {{ dummies }} + {{ places[second] }}{% else %}a{{ first }} * {{ dummies }} + a{{ second }}{% endif %}

{% endif %}
{% endfor %}
{% endfor %}
{% for tree in trees %}
    , t{{ tree }}
{% endfor %}
]
