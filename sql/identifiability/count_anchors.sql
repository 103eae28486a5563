-- count_anchors
-- Counts the anchors, and the pairs of an open combination and one that agrees with it in its anchor, in a sample.
--
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
-- parameter share: integer, one combination in so many is looked at
WITH anchors AS (
    SELECT DISTINCT anchor{% for word in range(words) %}, f{{ word }}{% endfor %} FROM anchored
),
wanted AS (
    SELECT anchor{% for word in range(words) %}, k{{ word }}{% endfor %}, COUNT(*) AS combinations
    FROM anchored
    GROUP BY ALL
),
sample AS (
    SELECT *
    FROM {{ table | identifier }}
    WHERE hash({% for word in range(words) %}p{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}) % {{ share | literal }} = 0
),
keyed AS (
    SELECT anchor{% for word in range(words) %}, p{{ word }} & f{{ word }} AS k{{ word }}{% endfor %} FROM sample, anchors
)
SELECT
    (SELECT COUNT(*) FROM anchors) AS anchors,
    CAST(COALESCE(SUM(wanted.combinations), 0) AS BIGINT) AS pairs
FROM keyed
JOIN wanted USING (anchor{% for word in range(words) %}, k{{ word }}{% endfor %})
