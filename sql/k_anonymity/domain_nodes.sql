-- domain_nodes
-- Every way to choose a level for each quasi-identifier, with what it loses; of none is known whether it is k-anonymous.
--
-- definition: a node of fewer quasi-identifiers is the node in which the others are on the level of the root; `below`
--   counts those that are not
-- source: LeFevre et al., Incognito, SIGMOD 2005
-- portable: no
--
-- parameter heights: integers, the level of each root
CREATE OR REPLACE TEMP TABLE quasi_nodes AS
WITH levels AS (
    SELECT
        ROW_NUMBER() OVER (ORDER BY {% for height in heights %}p{{ loop.index0 }}.level{% if not loop.last %}, {% endif %}{% endfor %}) AS node,
        {% for height in heights %}p{{ loop.index0 }}.penalty{% if not loop.last %} + {% endif %}{% endfor %} AS penalty
{% for height in heights %}
        , p{{ loop.index0 }}.level AS l{{ loop.index0 }}
{% endfor %}
    FROM
{% for height in heights %}
        (SELECT level, penalty FROM quasi_penalties WHERE attribute = {{ loop.index0 }}) AS p{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
)
SELECT
    *,
    {% for height in heights %}l{{ loop.index0 }}{% if not loop.last %} + {% endif %}{% endfor %} AS height,
    {% for height in heights %}CASE WHEN l{{ loop.index0 }} < {{ height }} THEN 1 ELSE 0 END{% if not loop.last %} + {% endif %}{% endfor %} AS below,
    -- nothing is told apart where every level is a root
    CASE WHEN {% for height in heights %}l{{ loop.index0 }} = {{ height }}{% if not loop.last %} AND {% endif %}{% endfor %} THEN TRUE END AS anonymous
FROM levels
