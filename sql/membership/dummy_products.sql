-- dummy_products
-- The sum of the products of two dummies over the records, for each two that occur together.
--
-- definition: two categories: the records that have both, counted attribute pair by attribute pair, so that no dummy
--   column is ever made; numbers are scaled into [-1, 1] and added as decimals of 18 places; dummy <= other
-- missing: two categories that no record has together have no row
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter dummies: relation, all dummies
-- parameter scales: relation, those of numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH records AS (
    SELECT
{% for column in attributes %}
{% if column[0] == "n" %}
        (numbers.{{ column | identifier }} - scale{{ loop.index0 }}.middle) / scale{{ loop.index0 }}.width AS a{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% else %}
        dummy{{ loop.index0 }}.dummy AS a{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endif %}
{% endfor %}
    FROM {{ source | relation }} AS numbers
{% for column in attributes %}
{% if column[0] == "n" %}
    CROSS JOIN (SELECT middle, width FROM {{ scales | relation }} AS known WHERE attribute = {{ loop.index0 }}) AS scale{{ loop.index0 }}
{% else %}
    JOIN (SELECT dummy, value FROM {{ dummies | relation }} AS known WHERE attribute = {{ loop.index0 }}) AS dummy{{ loop.index0 }}
        ON dummy{{ loop.index0 }}.value = numbers.{{ column | identifier }}
{% endif %}
{% endfor %}
),
products AS (
{% for column in attributes %}
{% set first = loop.index0 %}
{% set first_number = column[0] == "n" %}
{% for other in attributes[loop.index0:] %}
{% set second = first + loop.index0 %}
{% set second_number = other[0] == "n" %}
    SELECT
        {% if first_number %}CAST(NULL AS INTEGER){% else %}a{{ first }}{% endif %} AS dummy,
        {% if second_number %}CAST(NULL AS INTEGER){% else %}a{{ second }}{% endif %} AS other,
        {{ first }} AS attribute,
        {{ second }} AS other_attribute,
        {% if first_number and second_number %}CAST(SUM(CAST(a{{ first }} * a{{ second }} AS DECIMAL(38, 18))) AS DOUBLE){% elif first_number %}CAST(SUM(CAST(a{{ first }} AS DECIMAL(38, 18))) AS DOUBLE){% elif second_number %}CAST(SUM(CAST(a{{ second }} AS DECIMAL(38, 18))) AS DOUBLE){% else %}CAST(COUNT(*) AS DOUBLE){% endif %} AS total
    FROM records
{% if not (first_number and second_number) %}
    GROUP BY {% if not first_number %}a{{ first }}{% endif %}{% if not first_number and not second_number and first != second %}, {% endif %}{% if not second_number and first != second %}a{{ second }}{% endif %}

{% endif %}
{% if not (loop.last and first == attributes | length - 1) %}
    UNION ALL
{% endif %}
{% endfor %}
{% endfor %}
)
SELECT
    COALESCE(products.dummy, first.dummy) AS dummy,
    COALESCE(products.other, second.dummy) AS other,
    products.total
FROM products
LEFT JOIN {{ dummies | relation }} AS first
    ON first.attribute = products.attribute AND products.dummy IS NULL
LEFT JOIN {{ dummies | relation }} AS second
    ON second.attribute = products.other_attribute AND products.other IS NULL
