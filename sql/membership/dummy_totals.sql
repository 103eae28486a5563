-- dummy_totals
-- The sum of each dummy over the records, and whether it is the same in all of them.
--
-- definition: numbers are added as decimals of 17 places; the dummies of categories are counted
-- missing: a dummy that no record has is 0 in all of them
-- portable: yes
--
-- parameter name: column, the table
-- parameter codes: relation, the records by the numbers of dummies
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter places: integers, the first dummy of each attribute
-- parameter dummies: relation, all dummies
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
{% for column in attributes %}
{% if column[0] == "n" %}
    SELECT
        {{ places[loop.index0] }} AS dummy,
        CAST(SUM(CAST(a{{ loop.index0 }} AS DECIMAL(18, 17))) AS DOUBLE) AS total,
        MIN(a{{ loop.index0 }}) = MAX(a{{ loop.index0 }}) AS constant
    FROM {{ codes | relation }} AS codes
{% else %}
    SELECT a{{ loop.index0 }} AS dummy, CAST(COUNT(*) AS DOUBLE) AS total, COUNT(*) = (SELECT COUNT(*) FROM {{ codes | relation }} AS codes) AS constant
    FROM {{ codes | relation }} AS codes
    GROUP BY a{{ loop.index0 }}
{% endif %}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT dummies.dummy, COALESCE(counted.total, 0) AS total, COALESCE(counted.constant, TRUE) AS constant
FROM {{ dummies | relation }} AS dummies
LEFT JOIN counted ON counted.dummy = dummies.dummy
