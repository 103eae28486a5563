-- join_labels
-- Makes the table of a hierarchy for the values of a column from the lines that somebody wrote down.
--
-- definition: a value without a line stays itself up to the root
-- portable: no
--
-- parameter name: column, the table
-- parameter labels: column, the lines that were written
-- parameter leaves: column, the values of the column
-- parameter height: integer, the levels above the value
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    leaves.value AS level0
{% for level in range(1, height) %}
    , COALESCE(labels.level{{ level }}, leaves.value) AS level{{ level }}
{% endfor %}
    , '*' AS level{{ height }}
FROM {{ leaves | identifier }} AS leaves
LEFT JOIN {{ labels | identifier }} AS labels ON labels.level0 = leaves.value
ORDER BY level0
