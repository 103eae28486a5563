-- domain_batch
-- The nodes to examine next: the middle layer of the fewest quasi-identifiers that may be better than the best known.
--
-- definition: the middle layer leaves the most nodes above and below to be known without being examined
-- source: LeFevre et al., Incognito, SIGMOD 2005
-- portable: no
--
-- parameter most: integer, nodes at a time
CREATE OR REPLACE TEMP TABLE quasi_batch AS
WITH best AS MATERIALIZED (
    SELECT penalty, height FROM quasi_nodes WHERE anonymous ORDER BY penalty, height LIMIT 1
),
wanted AS MATERIALIZED (
    SELECT nodes.*
    FROM quasi_nodes AS nodes, best
    WHERE anonymous IS NULL
        AND (nodes.penalty < best.penalty OR (nodes.penalty = best.penalty AND nodes.height < best.height))
),
fewest AS MATERIALIZED (
    SELECT * FROM wanted WHERE below = (SELECT MIN(below) FROM wanted)
)
SELECT * EXCLUDE (anonymous)
FROM fewest
WHERE height = (SELECT QUANTILE_DISC(height, 0.5) FROM fewest)
ORDER BY penalty, node
LIMIT {{ most }}
