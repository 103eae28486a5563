-- topdown_place
-- Puts the tuples of a round on the side whose penalty grows less by them.
--
-- definition: in round 0 the nearer seed; later the least growth = (records of the side + n) * penalty with the tuple -
--   records * penalty without; equal growth goes to the side of the smaller penalty, then to side 0; a seed stays on its
--   own
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter round: integer, the number of the round
{% if round %}
INSERT INTO quasi_placed BY NAME
{% else %}
CREATE OR REPLACE TEMP TABLE quasi_placed AS
{% endif %}
WITH measured AS (
    SELECT
        one.*,
        seed0,
        seed1
{% for s in range(2) %}
        , n{{ s }}
        , p{{ s }}
        , CAST(
{% for height in heights %}
{% set i = loop.index0 %}
            {% if not loop.first %}+ {% endif %}
{% if not height %}
LEAST(GREATEST(x{{ i }}, h{{ i }}_{{ s }}) - LEAST(x{{ i }}, l{{ i }}_{{ s }}), 1048576)
{% elif height == 1 %}
CASE WHEN x{{ i }} = x{{ i }}_{{ s }} THEN 0 ELSE 1048576 END
{% else %}
CASE{% for level in range(1, height) %}{% if loop.first %} WHEN x{{ i }} = l{{ i }}_{{ s }} AND x{{ i }} = h{{ i }}_{{ s }} THEN 0{% endif %} WHEN LEAST(x{{ i }}, l{{ i }}_{{ s }}) >= lo{{ i }}_{{ level }}_{{ s }} AND GREATEST(x{{ i }}, h{{ i }}_{{ s }}) <= hi{{ i }}_{{ level }}_{{ s }} THEN cost{{ i }}_{{ level }}_{{ s }}{% endfor %} ELSE 1048576 END
{% endif %}
{% endfor %}
        AS BIGINT) AS d{{ s }}
{% endfor %}
    FROM quasi_open AS one
    JOIN quasi_sides AS sides USING (part)
    WHERE one.round = {{ round }}
),
grown AS (
    SELECT *, {% if round %}d0 * (n0 + n) - p0 * n0 AS g0, d1 * (n1 + n) - p1 * n1 AS g1{% else %}d0 AS g0, d1 AS g1{% endif %}

    FROM measured
)
SELECT
    tuple,
    part,
    n,
    draw,
    round
{% for height in heights %}
    , x{{ loop.index0 }}
{% endfor %}
    , d0
    , d1
    , tuple = seed0 OR tuple = seed1 AS is_seed
    , CASE
        WHEN tuple = seed0 THEN 0
        WHEN tuple = seed1 THEN 1
        WHEN g0 < g1 OR (g0 = g1 AND d0 <= d1) THEN 0
        ELSE 1
    END AS side
FROM grown
