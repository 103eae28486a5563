-- dummy_counts
-- How many records have each dummy, and the smallest and the largest number of each attribute of numbers.
--
-- portable: yes
--
-- parameter source: relation, an encoded table
-- parameter dummies: relation, the list of dummies
-- parameter columns: columns, of the encoded table, in the order of the attributes
-- parameter numeric: columns, those of numbers
WITH counted AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
{% if column in numeric %}
    SELECT {{ loop.index0 }} AS attribute, CAST(NULL AS VARCHAR) AS value, COUNT(*) AS records, MIN({{ column | identifier }}) AS least, MAX({{ column | identifier }}) AS most
    FROM {{ source | relation }} AS records
{% else %}
    SELECT {{ loop.index0 }} AS attribute, {{ column | identifier }} AS value, COUNT(*) AS records, CAST(NULL AS DOUBLE) AS least, CAST(NULL AS DOUBLE) AS most
    FROM {{ source | relation }} AS records
    GROUP BY {{ column | identifier }}
{% endif %}
{% endfor %}
)
SELECT
    dummies.dummy
    , dummies.attribute
    , dummies.value
    , COALESCE(counted.records, 0) AS records
    , counted.least
    , counted.most
FROM {{ dummies | relation }} AS dummies
LEFT JOIN counted
    ON counted.attribute = dummies.attribute AND (counted.value IS NOT DISTINCT FROM dummies.value)
ORDER BY dummies.dummy
