-- long_sets
-- How many cells of a column are long sets of values, such as "{a, b}".
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter column: column, of texts
-- parameter most: integer, characters of a cell that is not long
SELECT COUNT(*) AS cells
FROM {{ source | relation }}
WHERE LENGTH({{ column | identifier }}) > {{ most | literal }} AND {{ column | identifier }} LIKE '{' || '%' || '}'
