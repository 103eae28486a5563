-- shared_values
-- How many records of a table have a value that the original has too, for each category.
--
-- missing: a missing value counts as one
-- portable: yes
--
-- parameter original: relation, the records of the original with codes
-- parameter other: relation, those of the other table
-- parameter columns: columns, the codes of categories
{% for column in columns %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 }} AS number,
    (SELECT COUNT(DISTINCT {{ column | identifier }}) FROM {{ original | relation }} AS original) AS known,
    COUNT(*) AS shared
FROM {{ other | relation }} AS other
WHERE {{ column | identifier }} IN (SELECT {{ column | identifier }} FROM {{ original | relation }} AS original)
{% endfor %}
ORDER BY number
