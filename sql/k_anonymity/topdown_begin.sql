-- topdown_begin
-- All tuples as one group, and the round in which each is placed when the group is split.
--
-- definition: x = the number of a category, or 2^20 times the place of a number; rounds 0 to 3 place about 1, 2, 4
--   and 8 tuples of a group, the next one up to its 64th, the last one all others
-- portable: no
--
-- parameter seed: integer, decides the order in which tuples are placed
-- parameter tuples: integer, how many there are
-- parameter last: integer, the last round
-- parameter large: integer, groups of more tuples are placed in round 0 alone
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_open AS
SELECT
    tuple,
    CAST(0 AS BIGINT) AS part,
    n,
    CAST(HASH(tuple, {{ seed }}) >> 34 AS BIGINT) AS draw,
    CAST(CASE WHEN {{ tuples }} > {{ large }} THEN 0 ELSE LEAST({{ last }}, FLOOR(LOG2(((CAST(HASH(tuple, {{ seed }}) >> 34 AS BIGINT) * {{ tuples }}) >> 30) + 1)), 2 + FLOOR(LOG2(((CAST(HASH(tuple, {{ seed }}) >> 34 AS BIGINT) * {{ tuples }}) >> 30) + 1) / 2)) END AS INTEGER) AS round
{% for height in heights %}
    , {% if height %}a{{ loop.index0 }}{% else %}CAST(ROUND(v{{ loop.index0 }}.place * 1048576) AS INTEGER){% endif %} AS x{{ loop.index0 }}
{% endfor %}
FROM quasi_tuples
{% for table in tables %}
{% if not heights[loop.index0] %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endif %}
{% endfor %}
