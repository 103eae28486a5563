-- exchange
-- The sums behind the indices of a release, updated from swapped records alone.
--
-- idea: the indices depend on a table through sums: the number of records of a dummy or of a pair of dummies, the
--   sums of numbers and of their products. They are integers; their number depends on the pairs of dummies and not on
--   the records.
-- source: PWS Cup 2020, the indices; the sums are our own
-- runs: finish
--
-- parameter name: column, the table
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter dummies: integer, number of dummies
-- parameter trees: integers, the numbers of trees
-- parameter starts: integers, the first dummy of each attribute
-- parameter totals: integers, index of the sum of each number
-- parameter highs: integers, index of the high half for each pair of attributes, row by row
-- parameter bits: integer, of the low half of a product

-- name: number_bins
-- Creates the list of the values of numeric attributes, each with the index of its counter.
--
-- missing: there are no missing values
--
-- takes: name
-- parameter source: relation, the original, encoded
-- parameter columns: columns, those of numbers
-- parameter attributes: integers, the number of the attribute of each
-- parameter first_index: integer, the first index
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for column in columns %}
    SELECT {{ attributes[loop.index0] }} AS attribute, {{ column | identifier }} AS value
    FROM {{ source | relation }} AS records
    GROUP BY {{ column | identifier }}
    UNION ALL
{% endfor %}
    SELECT -1 AS attribute, CAST(0 AS DOUBLE) AS value
)
SELECT
    attribute,
    value,
    CAST({{ first_index }} + ROW_NUMBER() OVER (ORDER BY attribute, value) - 1 AS INTEGER) AS cell
FROM found
WHERE attribute >= 0

-- name: swap_codes
-- Creates swappable records: their columns, the dummy of each category, and each number with its counter.
--
-- definition: a number x is round((x - least) / unit) with the smallest number of the original; sums of whole numbers
--   are exact in any order
-- missing: there are no missing values; numbers that the original lacks have a counter of their own
--
-- takes: name, attributes
-- parameter source: relation, encoded records
-- parameter draw: integer or none, the number of the draw that they are from; none: they say it themselves
-- parameter dummies: relation, all dummies
-- parameter bins: relation, the values of numbers and their counters
-- parameter category_lists: relation, the categories of each attribute as a list
-- parameter limits: relation, the smallest and the largest number of each attribute of the original as a list
-- parameter units: texts, the divisors
-- parameter trees: expressions, the counter of the leaf of each tree
-- parameter outside: integers, the counter of other numbers of each attribute
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record,
{% if draw is none %}
    records.draw,
    records.origin
{% else %}
    CAST({{ draw }} AS INTEGER) AS draw,
    records.record AS origin
{% endif %}
{% for column in attributes %}
    , records.{{ column | identifier }}
{% if column[0] == "n" %}
    , CAST(ROUND(
        (records.{{ column | identifier }} - limits.{{ column | identifier }}[1])
        / CAST({{ units[loop.index0] | literal }} AS DOUBLE)) AS BIGINT) AS a{{ loop.index0 }}
    , COALESCE(known{{ loop.index0 }}.cell, {{ outside[loop.index0] }}) AS b{{ loop.index0 }}
{% else %}
    , known{{ loop.index0 }}.dummy AS a{{ loop.index0 }}
{% endif %}
{% endfor %}
{% for tree in trees %}
    , {{ tree | expression }} AS t{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS records
CROSS JOIN {{ category_lists | relation }} AS known
CROSS JOIN {{ limits | relation }} AS limits
{% for column in attributes %}
{% if column[0] == "n" %}
LEFT JOIN (SELECT cell, value FROM {{ bins | relation }} AS bins WHERE attribute = {{ loop.index0 }})
    AS known{{ loop.index0 }}
{% else %}
JOIN (SELECT dummy, value FROM {{ dummies | relation }} AS dummies WHERE attribute = {{ loop.index0 }})
    AS known{{ loop.index0 }}
{% endif %}
    ON known{{ loop.index0 }}.value = records.{{ column | identifier }}
{% endfor %}

-- name: swap_cells
-- The indexes of the sums that a record contributes to, as a list.
--
-- definition: dummy * dummies + other for two dummies (dummy <= other); a number has an index for its sum, one for
--   its count, and two for the high and the low half of its product with each number
--
-- takes: attributes, dummies, starts, totals, highs
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
    , {% if column[0] == "n" %}{{ starts[first] * dummies }} + a{{ second }}{% elif other[0] == "n" %}a{{ first }}
        * {{ dummies }} + {{ starts[second] }}{% else %}a{{ first }} * {{ dummies }} + a{{ second }}{% endif %}

{% endif %}
{% endfor %}
{% endfor %}
{% for tree in trees %}
    , t{{ tree }}
{% endfor %}
]

-- name: swap_values
-- The contributions of a record to its sums, as a list.
-- takes: attributes, trees, bits
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
    , (a{{ first }} * a{{ second }}) >> {{ bits }},
        (a{{ first }} * a{{ second }}) & ((CAST(1 AS BIGINT) << {{ bits }}) - 1)
{% elif first < second %}
    , {% if column[0] == "n" %}a{{ first }}{% elif other[0] == "n" %}a{{ second }}{% else %}1{% endif %}

{% endif %}
{% endfor %}
{% endfor %}
{% for tree in trees %}
    , 1
{% endfor %}
]

-- name: swap_gain
-- The gain of adding a record, by the weights of its sums.
--
-- definition: the sum over swap_cells of the weight, from the list weights, times the contribution of the record
--
-- takes: attributes, dummies, starts, totals, highs, bits, trees
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
    + weights[{{ high }}] * ((a{{ first }} * a{{ second }}) >> {{ bits }}) + weights[{{ high + 1 }}]
        * ((a{{ first }} * a{{ second }}) & ((CAST(1 AS BIGINT) << {{ bits }}) - 1))
{% elif first < second and column[0] == "n" %}
    + weights[{{ starts[first] * dummies + 1 }} + a{{ second }}] * a{{ first }}
{% elif first < second and other[0] == "n" %}
    + weights[a{{ first }} * {{ dummies }} + {{ starts[second] + 1 }}] * a{{ second }}
{% elif first < second %}
    + weights[a{{ first }} * {{ dummies }} + a{{ second }} + 1]
{% endif %}
{% endfor %}
{% endfor %}
{% for tree in trees %}
    + weights[t{{ tree }} + 1]
{% endfor %}

-- name: swap_totals
-- The sums over all records of a table; zeros are left out.
-- parameter source: relation, records that can be swapped
-- parameter cells: expression, the indexes of a record
-- parameter values: expression, its contributions to these
SELECT cell, CAST(SUM(value) AS BIGINT) AS total
FROM (
    SELECT UNNEST({{ cells | expression }}) AS cell, UNNEST({{ values | expression }}) AS value
    FROM {{ source | relation }} AS codes
) AS added
GROUP BY cell
HAVING SUM(value) <> 0
ORDER BY cell
