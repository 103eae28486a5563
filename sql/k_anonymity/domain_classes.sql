-- domain_classes
-- The class of each tuple where every quasi-identifier is on one level of its hierarchy.
--
-- portable: no
--
-- parameter heights: integers, the level of each root
-- parameter levels: integers, the level of each quasi-identifier
-- parameter tables: columns, the tables of numbered values
INSERT INTO quasi_classes
SELECT
    tuple,
    MIN(tuple) OVER (
        PARTITION BY 0{% for level in levels %}{% set i = loop.index0 %}{% if level == 0 %}, a{{ i }}{% elif level < heights[i] %}, v{{ i }}.lo{{ level }}{% endif %}{% endfor %}

    ) AS class,
    n
FROM quasi_tuples
{% for table in tables %}
JOIN {{ table | identifier }} AS v{{ loop.index0 }} ON v{{ loop.index0 }}.code = a{{ loop.index0 }}
{% endfor %}
