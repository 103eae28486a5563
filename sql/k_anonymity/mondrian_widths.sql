-- mondrian_widths
-- How wide each group to be split is in each quasi-identifier.
--
-- definition: width = greatest minus least number, as a share of the range of all; for categories the distance of the
--   first and the last in the order of the leaves, as a share of that of all
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006
-- missing: a missing value is a value of its own, before all others; a group of numbers with one is as wide as can be
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter leaves: integers, how many leaves each quasi-identifier has
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_widths AS
WITH boxes AS (
    SELECT
        part
{% for height in heights %}
        , MIN(x{{ loop.index0 }}) AS lo{{ loop.index0 }}
        , MAX(x{{ loop.index0 }}) AS hi{{ loop.index0 }}
{% endfor %}
    FROM quasi_open
    GROUP BY part
),
long AS (
{% for height in heights %}
{% set i = loop.index0 %}
    SELECT
        part,
        {{ i }} AS attribute,
{% if height %}
        CAST(hi{{ i }} - lo{{ i }} AS DOUBLE) / {{ [leaves[i] - 1, 1] | max }} AS width
    FROM boxes
{% else %}
        CASE WHEN lo{{ i }} = hi{{ i }} THEN 0 WHEN l.place < 0 OR h.place > 1 THEN 1 ELSE h.place - l.place END AS width
    FROM boxes
    JOIN {{ tables[i] | identifier }} AS l ON l.code = boxes.lo{{ i }}
    JOIN {{ tables[i] | identifier }} AS h ON h.code = boxes.hi{{ i }}
{% endif %}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT part, attribute, width FROM long
