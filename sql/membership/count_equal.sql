-- count_equal
-- How many records have a category.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter column: column, the attribute
-- parameter value: text, the category
SELECT COUNT(*) AS records
FROM {{ source | relation }} AS records
WHERE {{ column | identifier }} = {{ value | literal }}
