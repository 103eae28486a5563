-- dummy_products
-- The sum of the products of two dummies over the records, for each two that occur together.
--
-- definition: two categories: the records that have both, counted for each two attributes; products with numbers are added
--   as decimals of 17 places; dummy <= other
-- missing: two categories that no record has together have no row, a category with itself has its count
-- portable: no
--
-- parameter name: column, the table
-- parameter codes: relation, the records by the numbers of dummies
-- parameter totals: relation, the sums of dummies
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter numeric: integers, the places of those with numbers, from 0
-- parameter places: integers, the first dummy of each attribute
-- parameter dummies: relation, all dummies
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH products AS (
{% for column in attributes %}
{% set first = loop.index0 %}
{% for other in attributes[loop.index0:] %}
{% set second = first + loop.index0 %}
{% if column[0] == "c" and other[0] == "c" and first < second %}
    SELECT a{{ first }} AS dummy, a{{ second }} AS other, CAST(COUNT(*) AS DOUBLE) AS total
    FROM {{ codes | relation }} AS codes
    GROUP BY a{{ first }}, a{{ second }}
    UNION ALL
{% elif column[0] == "n" and other[0] == "n" %}
    SELECT
        {{ places[first] }} AS dummy,
        {{ places[second] }} AS other,
        CAST(SUM(CAST(a{{ first }} * a{{ second }} AS DECIMAL(18, 17))) AS DOUBLE) AS total
    FROM {{ codes | relation }} AS codes
    UNION ALL
{% endif %}
{% endfor %}
{% if column[0] == "c" and numeric %}
    SELECT LEAST(dummy, number) AS dummy, GREATEST(dummy, number) AS other, total
    FROM (
        SELECT
            a{{ first }} AS dummy,
            UNNEST([{% for place in numeric %}{% if not loop.first %}, {% endif %}{{ places[place] }}{% endfor %}]) AS number,
            UNNEST([{% for place in numeric %}{% if not loop.first %}, {% endif %}CAST(SUM(CAST(a{{ place }} AS DECIMAL(18, 17))) AS DOUBLE){% endfor %}]) AS total
        FROM {{ codes | relation }} AS codes
        GROUP BY a{{ first }}
    ) AS sums{{ first }}
    UNION ALL
{% endif %}
{% endfor %}
    SELECT dummies.dummy, dummies.dummy AS other, totals.total
    FROM {{ dummies | relation }} AS dummies
    JOIN {{ totals | relation }} AS totals ON totals.dummy = dummies.dummy
    WHERE dummies.value IS NOT NULL
)
SELECT dummy, other, total
FROM products
