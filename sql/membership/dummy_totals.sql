-- dummy_totals
-- The sum of each dummy over the records, and whether it is the same in all of them.
--
-- definition: numbers are scaled into [-1, 1] and added as decimals of 18 places; dummies of categories are counted
-- missing: a dummy that no record has is 0 in all of them
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter dummies: relation, all dummies
-- parameter scales: relation, those of numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
{% for column in attributes %}
{% if column[0] == "n" %}
    SELECT
        {{ loop.index0 }} AS attribute,
        CAST(NULL AS VARCHAR) AS value,
        COUNT(*) AS records,
        CAST(SUM(CAST((numbers.{{ column | identifier }} - scale.middle) / scale.width AS DECIMAL(38, 18))) AS DOUBLE) AS total,
        MIN(numbers.{{ column | identifier }}) = MAX(numbers.{{ column | identifier }}) AS constant
    FROM {{ source | relation }} AS numbers
    CROSS JOIN (SELECT middle, width FROM {{ scales | relation }} AS known WHERE attribute = {{ loop.index0 }}) AS scale
{% else %}
    SELECT {{ loop.index0 }} AS attribute, {{ column | identifier }} AS value, COUNT(*) AS records, CAST(COUNT(*) AS DOUBLE) AS total, FALSE AS constant
    FROM {{ source | relation }} AS categories
    GROUP BY {{ column | identifier }}
{% endif %}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
size AS (
    SELECT COUNT(*) AS records FROM {{ source | relation }} AS records
)
SELECT
    dummies.dummy,
    COALESCE(counted.total, 0) AS total,
    COALESCE(counted.constant OR (dummies.value IS NOT NULL AND counted.records = size.records), TRUE) AS constant
FROM {{ dummies | relation }} AS dummies
CROSS JOIN size
LEFT JOIN counted
    ON counted.attribute = dummies.attribute
    AND (counted.value IS NOT DISTINCT FROM dummies.value)
