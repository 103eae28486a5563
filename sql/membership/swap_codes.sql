-- swap_codes
-- Makes records that can be swapped: their columns, the dummy of each category, and of each number a whole one and its cell.
--
-- definition: a number x is round((x - least) / unit); sums of whole numbers are exact in any order
-- missing: there are no missing values; numbers that the original has not have a cell of their own
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, encoded records
-- parameter draw: integer or none, the number of the draw that they are from; none: they say it themselves
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter dummies: relation, all dummies
-- parameter bins: relation, the values of numbers and their cells
-- parameter least: texts, what is subtracted from the numbers of each attribute
-- parameter units: texts, what they are divided by
-- parameter trees: expressions, the cell of the leaf of each tree
-- parameter outside: integers, the cell of the other numbers of each attribute
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
    , CAST(ROUND((records.{{ column | identifier }} - CAST({{ least[loop.index0] | literal }} AS DOUBLE)) / CAST({{ units[loop.index0] | literal }} AS DOUBLE)) AS BIGINT) AS a{{ loop.index0 }}
    , COALESCE(known{{ loop.index0 }}.cell, {{ outside[loop.index0] }}) AS b{{ loop.index0 }}
{% else %}
    , known{{ loop.index0 }}.dummy AS a{{ loop.index0 }}
{% endif %}
{% endfor %}
{% for tree in trees %}
    , {{ tree | expression }} AS t{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS records
{% for column in attributes %}
{% if column[0] == "n" %}
LEFT JOIN (SELECT cell, value FROM {{ bins | relation }} AS bins WHERE attribute = {{ loop.index0 }}) AS known{{ loop.index0 }}
{% else %}
JOIN (SELECT dummy, value FROM {{ dummies | relation }} AS dummies WHERE attribute = {{ loop.index0 }}) AS known{{ loop.index0 }}
{% endif %}
    ON known{{ loop.index0 }}.value = records.{{ column | identifier }}
{% endfor %}
