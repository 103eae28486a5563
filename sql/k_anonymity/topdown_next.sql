-- topdown_next
-- The tuples of the groups that are still to be split, or of those that are done.
--
-- portable: no
--
-- parameter heights: integers, one for each quasi-identifier
-- parameter last: integer, the last round
-- parameter large: integer, groups of more tuples are placed in round 0 alone
-- parameter open: integer, 1 for the groups that are still to be split
{% if open %}
CREATE OR REPLACE TEMP TABLE quasi_open AS
{% else %}
INSERT INTO quasi_classes
{% endif %}
WITH pieces AS (
    SELECT placed.* REPLACE (placed.n - COALESCE(moved.n, 0) AS n)
    FROM quasi_placed AS placed
    LEFT JOIN quasi_moved AS moved USING (part, tuple)
    UNION ALL
    SELECT placed.* REPLACE (moved.n AS n, moved.side AS side)
    FROM quasi_placed AS placed
    JOIN quasi_moved AS moved USING (part, tuple)
)
SELECT
    tuple,
    parts.made AS part,
    n
{% if open %}
{% for height in heights %}
    , x{{ loop.index0 }}
{% endfor %}
    , draw
    , CAST(CASE WHEN parts.tuples > {{ large }} THEN 0 ELSE LEAST({{ last }}, FLOOR(LOG2(((draw * parts.tuples) >> 30) + 1)), 2 + FLOOR(LOG2(((draw * parts.tuples) >> 30) + 1) / 2)) END AS INTEGER) AS round
{% endif %}
FROM pieces
JOIN quasi_parts AS parts USING (part, side)
WHERE n > 0 AND parts.open = {{ (open == 1) | literal }}
