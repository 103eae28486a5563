-- number_scales
-- What brings the numbers of an attribute into [-1, 1], over several tables.
--
-- definition: the middle and half the width of the range of all its numbers; 1 where there is but one number
-- read: one row an attribute with numbers
-- portable: yes
--
-- parameter name: column, the table
-- parameter sources: columns, the tables
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranges AS (
{% for column in attributes %}
{% if column[0] == "n" %}
{% set attribute = loop.index0 %}
{% for source in sources %}
    SELECT {{ attribute }} AS attribute, MIN({{ column | identifier }}) AS least, MAX({{ column | identifier }}) AS most
    FROM {{ source | relation }} AS records
    UNION ALL
{% endfor %}
{% endif %}
{% endfor %}
    SELECT -1 AS attribute, CAST(0 AS DOUBLE) AS least, CAST(0 AS DOUBLE) AS most
),
extremes AS (
    SELECT attribute, MIN(least) AS least, MAX(most) AS most
    FROM ranges
    GROUP BY attribute
)
SELECT
    attribute,
    least / 2 + most / 2 AS middle,
    CASE WHEN most / 2 > least / 2 THEN most / 2 - least / 2 ELSE 1 END AS width
FROM extremes
WHERE attribute >= 0
