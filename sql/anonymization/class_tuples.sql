-- class_tuples
-- The different combinations of cells that classes are made of, with their records or users.
--
-- missing: a missing cell is a value like another
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter columns: columns, those whose cells make the classes
-- parameter user: column or none, the users who are counted; none counts records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {% for column in columns %}{{ column | identifier }}, {% endfor %}{% if user %}COUNT(DISTINCT {{ user | identifier }}){% else %}COUNT(*){% endif %} AS class_records
FROM {{ source | relation }} AS records
GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}
