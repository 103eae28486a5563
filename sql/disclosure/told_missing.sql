-- told_missing
-- How many cells are missing, and how many of them are those of the sensitive attribute.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter column: column, the sensitive attribute
SELECT
    {% for column in columns %}COUNT(*) - COUNT({{ column | identifier }}) + {% endfor %}COUNT(*) - COUNT({{ column | identifier }}) AS cells,
    COUNT(*) - COUNT({{ column | identifier }}) AS sensitive
FROM {{ source | relation }}
