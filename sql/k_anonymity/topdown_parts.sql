-- topdown_parts
-- The new groups, numbered, and which of them are still to be split.
--
-- definition: a group is done that has fewer than 2k records, or only equal ones
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- portable: no
--
-- parameter k: integer, the least records of a class
-- parameter made: integer, how many groups there were before
CREATE OR REPLACE TEMP TABLE quasi_parts AS
WITH pieces AS (
    SELECT placed.part, placed.side, placed.n - COALESCE(moved.n, 0) AS n
    FROM quasi_placed AS placed
    LEFT JOIN quasi_moved AS moved USING (part, tuple)
    UNION ALL
    SELECT part, side, n FROM quasi_moved
),
counted AS (
    SELECT part, side, SUM(n) AS records, COUNT(*) AS tuples
    FROM pieces
    WHERE n > 0
    GROUP BY part, side
)
SELECT
    part,
    side,
    {{ made }} + ROW_NUMBER() OVER (ORDER BY part, side) AS made,
    tuples,
    records >= {{ 2 * k }} AND tuples > 1 AS open
FROM counted
