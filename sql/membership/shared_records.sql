-- shared_records
-- How many records of a table are equal to one of the original.
--
-- missing: missing values are equal
-- portable: yes
--
-- parameter original: relation, the records of the original with codes
-- parameter other: relation, those of the other table
-- parameter columns: columns, the codes
SELECT COUNT(*) AS shared
FROM {{ other | relation }} AS other
WHERE EXISTS (
    SELECT 1 FROM {{ original | relation }} AS original
    WHERE {% for column in columns %}{% if not loop.first %} AND {% endif %}original.{{ column | identifier }} = other.{{ column | identifier }}{% endfor %}

)
