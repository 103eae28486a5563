-- people_keep
-- Keeps the records as they are published now, those of small classes left out if so wanted.
--
-- portable: no
--
-- parameter source: relation, the records as they are to be published
-- parameter user: integer, 1 where records have a person, 0 where each is one
-- parameter least: integer, classes of fewer people are left out
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT records.*
FROM {{ source | relation }} AS records
{% if least > 1 %}
SEMI JOIN (
    SELECT class
    FROM {{ source | relation }} AS classes
    GROUP BY class
    HAVING {% if user %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} >= {{ least }}
) AS large ON large.class = records.class
{% endif %}
