-- topdown_boxes
-- The two sides of each group to be split: at first nothing but their seeds.
--
-- definition: of a side are known its least and greatest value l and h, where a category has no label but the root the
--   value x, or -1 of several; p is the penalty of a record of the side, n its records
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter seeds: columns, the tables of the first and of the second seeds
CREATE OR REPLACE TEMP TABLE quasi_sides AS
SELECT
    s0.part
{% for table in seeds %}
{% set s = loop.index0 %}
    , s{{ s }}.tuple AS seed{{ s }}
    , s{{ s }}.n AS n{{ s }}
    , CAST(0 AS BIGINT) AS p{{ s }}
{% for height in heights %}
{% set i = loop.index0 %}
{% if height == 1 %}
    , s{{ s }}.x{{ i }} AS x{{ i }}_{{ s }}
{% else %}
    , s{{ s }}.x{{ i }} AS l{{ i }}_{{ s }}
    , s{{ s }}.x{{ i }} AS h{{ i }}_{{ s }}
{% if height %}
{% for level in range(1, height) %}
    , s{{ s }}.lo{{ i }}_{{ level }} AS lo{{ i }}_{{ level }}_{{ s }}
    , s{{ s }}.hi{{ i }}_{{ level }} AS hi{{ i }}_{{ level }}_{{ s }}
    , s{{ s }}.cost{{ i }}_{{ level }} AS cost{{ i }}_{{ level }}_{{ s }}
{% endfor %}
{% endif %}
{% endif %}
{% endfor %}
{% endfor %}
FROM {{ seeds[0] | identifier }} AS s0
JOIN {{ seeds[1] | identifier }} AS s1 USING (part)
