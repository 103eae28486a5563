-- advice_records
-- Encodes the records once: the numbers of their values, the user and the day, each different combination with its records.
--
-- definition: "present" has a bit for each attribute of which only counts whether it is there
-- missing: a missing value has a number; a missing user or day stays missing
-- portable: no
--
-- parameter source: relation, the records
-- parameter attributes: attributes, the columns whose values are numbered
-- parameter tables: texts, the tables with the numbers of their values
-- parameter others: attributes, of which only counts whether they are there
-- parameter user: attribute or none, the user of a record
-- parameter users: column, the table with the numbers of the users, where there are any
-- parameter day: expression or none, the day of a record
CREATE OR REPLACE TEMP TABLE advice_records AS
WITH records AS (
    SELECT
        {% if user %}{{ user | value }}{% else %}NULL{% endif %} AS person,
        {% if day is not none %}{{ day | expression }}{% else %}CAST(NULL AS DATE){% endif %} AS day,
        CAST(0{% for attribute in others %} | (CASE WHEN {{ attribute | value }} IS NULL THEN 0 ELSE {{ 2 ** loop.index0 }} END){% endfor %} AS BIGINT) AS present
{% for attribute in attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT
{% for table in tables %}
    c{{ loop.index0 }}.code AS c{{ loop.index0 }},
{% endfor %}
    records.present,
    {% if user %}CASE WHEN records.person IS NOT NULL THEN persons.code END{% else %}CAST(NULL AS INTEGER){% endif %} AS person,
    records.day,
    COUNT(*) AS records
FROM records
{% for table in tables %}
JOIN {{ table | identifier }} AS c{{ loop.index0 }} ON (c{{ loop.index0 }}.value IS NOT DISTINCT FROM records.v{{ loop.index0 }})
{% endfor %}
{% if user %}
JOIN {{ users | identifier }} AS persons ON (persons.value IS NOT DISTINCT FROM records.person)
{% endif %}
GROUP BY ALL
