-- swap_gain
-- What a record that comes would gain by the weights of its cells.
--
-- definition: the sum over the cells of swap_cells of the weight, in the list weights, and what the record adds
-- portable: no
--
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter dummies: integer, how many there are
-- parameter places: integers, the first dummy of each attribute
-- parameter totals: integers, the cell of the sum of each number
-- parameter highs: integers, the cell of the high half for each two attributes, row by row
-- parameter bits: integer, of the low half of a product
-- parameter trees: integers, the numbers of trees
0
{% for column in attributes %}
{% set first = loop.index0 %}
{% if column[0] == "n" %}
    + weights[{{ totals[first] + 1 }}] * a{{ first }} + weights[b{{ first }} + 1]
{% else %}
    + weights[a{{ first }} * {{ dummies + 1 }} + 1]
{% endif %}
{% for other in attributes[first:] %}
{% set second = first + loop.index0 %}
{% set high = highs[first * (attributes | length) + second] + 1 %}
{% if column[0] == "n" and other[0] == "n" %}
    + weights[{{ high }}] * ((a{{ first }} * a{{ second }}) >> {{ bits }}) + weights[{{ high + 1 }}] * ((a{{ first }} * a{{ second }}) & ((CAST(1 AS BIGINT) << {{ bits }}) - 1))
{% elif first < second and column[0] == "n" %}
    + weights[{{ places[first] * dummies + 1 }} + a{{ second }}] * a{{ first }}
{% elif first < second and other[0] == "n" %}
    + weights[a{{ first }} * {{ dummies }} + {{ places[second] + 1 }}] * a{{ second }}
{% elif first < second %}
    + weights[a{{ first }} * {{ dummies }} + a{{ second }} + 1]
{% endif %}
{% endfor %}
{% endfor %}
{% for tree in trees %}
    + weights[t{{ tree }} + 1]
{% endfor %}
