-- topdown_widen
-- The two sides of each group to be split, with the tuples of a round.
--
-- definition: the columns are those of topdown_boxes
-- portable: no
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter round: integer, the number of the round
CREATE OR REPLACE TEMP TABLE quasi_sides AS
WITH added AS (
    SELECT
        part
{% for s in range(2) %}
        , SUM(CASE WHEN side = {{ s }} AND NOT is_seed THEN n ELSE 0 END) AS n{{ s }}
{% for height in heights %}
        , MIN(CASE WHEN side = {{ s }} THEN x{{ loop.index0 }} END) AS l{{ loop.index0 }}_{{ s }}
        , MAX(CASE WHEN side = {{ s }} THEN x{{ loop.index0 }} END) AS h{{ loop.index0 }}_{{ s }}
{% endfor %}
{% endfor %}
    FROM quasi_placed
    WHERE round = {{ round }}
    GROUP BY part
),
widened AS (
    SELECT
        sides.part
{% for s in range(2) %}
        , sides.seed{{ s }}
        , CAST(sides.n{{ s }} + COALESCE(added.n{{ s }}, 0) AS BIGINT) AS n{{ s }}
{% for height in heights %}
{% set i = loop.index0 %}
{% if height == 1 %}
        , CASE WHEN added.l{{ i }}_{{ s }} <> x{{ i }}_{{ s }} OR added.h{{ i }}_{{ s }} <> x{{ i }}_{{ s }} THEN -1 ELSE x{{ i }}_{{ s }} END AS x{{ i }}_{{ s }}
{% else %}
        , LEAST(added.l{{ i }}_{{ s }}, sides.l{{ i }}_{{ s }}) AS l{{ i }}_{{ s }}
        , GREATEST(added.h{{ i }}_{{ s }}, sides.h{{ i }}_{{ s }}) AS h{{ i }}_{{ s }}
{% for level in range(1, height) %}
        , lo{{ i }}_{{ level }}_{{ s }}
        , hi{{ i }}_{{ level }}_{{ s }}
        , cost{{ i }}_{{ level }}_{{ s }}
{% endfor %}
{% endif %}
{% endfor %}
{% endfor %}
    FROM quasi_sides AS sides
    LEFT JOIN added ON added.part = sides.part
)
SELECT
    *
{% for s in range(2) %}
    , CAST({% for height in heights %}{% set i = loop.index0 %}{% if height == 1 %}CASE WHEN x{{ i }}_{{ s }} = -1 THEN 1048576 ELSE 0 END{% elif not height %}LEAST(h{{ i }}_{{ s }} - l{{ i }}_{{ s }}, 1048576){% else %}CASE WHEN l{{ i }}_{{ s }} = h{{ i }}_{{ s }} THEN 0{% for level in range(1, height) %} WHEN l{{ i }}_{{ s }} >= lo{{ i }}_{{ level }}_{{ s }} AND h{{ i }}_{{ s }} <= hi{{ i }}_{{ level }}_{{ s }} THEN cost{{ i }}_{{ level }}_{{ s }}{% endfor %} ELSE 1048576 END{% endif %}{% if not loop.last %} + {% endif %}{% endfor %} AS BIGINT) AS p{{ s }}
{% endfor %}
FROM widened
