-- topdown_repair
-- What a side of fewer than k records gets from the other side: the records that fit it best, compared with their own.
--
-- definition: the other side keeps at least k, because a group that is split has at least 2k records; of equal records
--   only as many move as are needed
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- portable: no
--
-- parameter k: integer, the least records of a class
CREATE OR REPLACE TEMP TABLE quasi_moved AS
WITH small AS (
    SELECT part, side, {{ k }} - records AS wanted FROM quasi_counts WHERE records < {{ k }}
),
near AS (
    SELECT
        placed.part,
        small.side,
        small.wanted,
        CAST(CASE WHEN small.side = 0 THEN d0 - d1 ELSE d1 - d0 END AS BIGINT) * 8589934592 + tuple AS place
    FROM quasi_placed AS placed
    JOIN small ON small.part = placed.part AND small.side <> placed.side
),
nearest AS (
{% if k <= 1000 %}
    -- k - 1 tuples are enough, and finding the least of them needs no sorting
    SELECT part, side, wanted, UNNEST(MIN(place, {{ k - 1 }})) AS place
    FROM near
    GROUP BY part, side, wanted
{% else %}
    SELECT part, side, wanted, place FROM near
{% endif %}
),
offered AS (
    SELECT
        nearest.part,
        nearest.side,
        nearest.wanted,
        placed.tuple,
        placed.n,
        SUM(placed.n) OVER (PARTITION BY nearest.part ORDER BY nearest.place) - placed.n AS before
    FROM nearest
    JOIN quasi_placed AS placed ON placed.part = nearest.part AND placed.tuple = (nearest.place & 8589934591)
)
SELECT part, tuple, side, CAST(LEAST(n, wanted - before) AS BIGINT) AS n
FROM offered
WHERE before < wanted
