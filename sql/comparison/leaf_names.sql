-- leaf_names
-- What each value of the original is called in the ways of generalising that the cells of a release may use.
--
-- definition: by itself, by a prefix of each length that a cell has, by the day, week, month, quarter and year of a
--   moment, and by the levels of a hierarchy; two names of one way cover no value in common
-- portable: no
--
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the numbered cells of the release
-- parameter place: text, number, moment or text
-- parameter hierarchy: relation or none, the table with a name a level for each value
-- parameter height: integer or none, the highest level of the hierarchy
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT * FROM {{ leaves | identifier }}
),
lengths AS (
    SELECT DISTINCT LENGTH(name) - 1 AS characters
    FROM {{ cells | identifier }}
    WHERE name LIKE '_%*'
)
SELECT 'value' AS layer, 0 AS priority, code, name
FROM leaves
{% if place != "text" %}
UNION ALL
-- The same value in another spelling, as 20.0 for 20.
SELECT 'value', 1, MIN(leaves.code), cells.name
FROM leaves
JOIN {{ cells | identifier }} AS cells ON cells.place = leaves.place
GROUP BY cells.name
{% endif %}
UNION ALL
SELECT 'prefix ' || lengths.characters, 4, leaves.code, SUBSTR(leaves.name, 1, lengths.characters) || '*'
FROM leaves, lengths
WHERE LENGTH(leaves.name) > lengths.characters
{% if place == "moment" %}
{% for unit, format in [("day", "%Y-%m-%d"), ("week", "%G-W%V"), ("month", "%Y-%m"), ("year", "%Y")] %}
UNION ALL
SELECT {{ unit | literal }}, 5, code, STRFTIME(MAKE_TIMESTAMP(CAST(place AS BIGINT)), {{ format | literal }})
FROM leaves
WHERE place IS NOT NULL
{% endfor %}
UNION ALL
SELECT 'quarter', 5, code, STRFTIME(MAKE_TIMESTAMP(CAST(place AS BIGINT)), '%Y-Q') || QUARTER(MAKE_TIMESTAMP(CAST(place AS BIGINT)))
FROM leaves
WHERE place IS NOT NULL
{% endif %}
{% if hierarchy is not none %}
{% for level in range(1, height + 1) %}
UNION ALL
SELECT 'level {{ level }}', {{ level + 5 }}, leaves.code, path.level{{ level }}
FROM leaves
JOIN {{ hierarchy | relation }} AS path ON path.level0 = leaves.name
{% endfor %}
{% endif %}
