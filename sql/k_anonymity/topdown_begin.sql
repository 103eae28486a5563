-- topdown_begin
-- All tuples as one group, or none where the group is not to be split.
--
-- definition: x = the number of a category, or 2^20 times the place of a number
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_open AS
SELECT
    tuple,
    CAST(0 AS BIGINT) AS part,
    n
{% for height in heights %}
    , {% if height %}a{{ loop.index0 }}{% else %}CAST(ROUND(v{{ loop.index0 }}.place * 1048576) AS INTEGER){% endif %} AS x{{ loop.index0 }}
{% endfor %}
FROM quasi_tuples
{% for height in heights if not height %}
{% endfor %}
{% for table in tables %}
{% if not heights[loop.index0] %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endif %}
{% endfor %}
