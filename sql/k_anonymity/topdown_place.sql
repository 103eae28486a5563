-- topdown_place
-- Puts each tuple of the groups to be split on the side of the nearer seed.
--
-- definition: side 0 where the first seed is nearer or as near, else 1; the distance is that of topdown_seeds
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter seeds: columns, the tables of the first and of the second seeds
CREATE OR REPLACE TEMP TABLE quasi_placed AS
WITH measured AS (
    SELECT
        one.*
{% for table in seeds %}
{% set side = loop.index0 %}
        , CAST(
{% for height in heights %}
{% set i = loop.index0 %}
            {% if not loop.first %}+ {% endif %}
{% if not height %}
LEAST(ABS(one.x{{ i }} - s{{ side }}.x{{ i }}), 1048576)
{% else %}
CASE WHEN one.x{{ i }} = s{{ side }}.x{{ i }} THEN 0{% for level in range(1, height) %} WHEN one.x{{ i }} BETWEEN s{{ side }}.lo{{ i }}_{{ level }} AND s{{ side }}.hi{{ i }}_{{ level }} THEN s{{ side }}.cost{{ i }}_{{ level }}{% endfor %} ELSE 1048576 END
{% endif %}
{% endfor %}
        AS INTEGER) AS d{{ side }}
{% endfor %}
    FROM quasi_open AS one
{% for table in seeds %}
    JOIN {{ table | identifier }} AS s{{ loop.index0 }} ON s{{ loop.index0 }}.part = one.part
{% endfor %}
)
SELECT *, CASE WHEN d0 <= d1 THEN 0 ELSE 1 END AS side
FROM measured
