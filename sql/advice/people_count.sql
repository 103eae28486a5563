-- people_count
-- How many people are behind the records.
--
-- portable: yes
--
-- parameter source: column, the table of the records
-- parameter user: integer, 1 where records have a person, 0 where each is one
SELECT {% if user %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} AS people FROM {{ source | identifier }} AS records
