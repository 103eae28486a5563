-- class_tuples
-- The different combinations of cells that classes are made of, with their records.
--
-- missing: a missing cell is a value like another
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter columns: columns, those whose cells make the classes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {% for column in columns %}{{ column | identifier }}, {% endfor %}COUNT(*) AS class_records
FROM {{ source | relation }} AS records
GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}
