-- people_facts
-- With which probability one known fact identifies, of attributes in the form in which they are published.
--
-- definition: the mean of attribute_risk
-- source: Ito, definitions 2.1 to 2.5
-- missing: a record without a value is left out
-- portable: no
--
-- parameter source: column, the table of the records
-- parameter user: integer, 1 where records have a person, 0 where each is one
-- parameter places: integers, the places of the columns
-- parameter forms: texts, the tables of their forms; empty where values are known as they are
-- parameter known: integers, the number of what is known there
{% for place in places %}
{% set form = forms[loop.index0] %}
{% if loop.index0 %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 }} AS number,
    CAST(SUM(CAST(CAST(records AS DOUBLE) / people AS DECIMAL(38, 18))) AS DOUBLE) / SUM(records) AS risk
FROM (
{% if user %}
    SELECT fact, COUNT(*) AS people, SUM(records) AS records
    FROM (
        SELECT {% if form %}form.k{{ known[loop.index0] }}{% else %}records.h{{ place }}{% endif %} AS fact, person, COUNT(*) AS records
        FROM {{ source | identifier }} AS records
{% if form %}
        JOIN {{ form | identifier }} AS form ON form.h = records.h{{ place }}
{% endif %}
        GROUP BY fact, person
    ) AS people
{% else %}
    SELECT {% if form %}form.k{{ known[loop.index0] }}{% else %}records.h{{ place }}{% endif %} AS fact, COUNT(*) AS people, COUNT(*) AS records
    FROM {{ source | identifier }} AS records
{% if form %}
    JOIN {{ form | identifier }} AS form ON form.h = records.h{{ place }}
{% endif %}
{% endif %}
    GROUP BY fact
) AS facts
WHERE fact <> 0
{% endfor %}
ORDER BY number
