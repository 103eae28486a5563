-- similarity_loss
-- How far the likeness of items in a release is from that in the original: 0 the same, 1 useless.
--
-- definition: D(W, W') = min(1, sum of |W[i, j] - W'[i, j]| / sum of W[i, j]) over the dense set WD: the ordered pairs of
--   different items that some user of the original has; with the diagonal also each item with itself, where W is 1
--   and W' is 1 unless no user of the release has the item. Pairs were added up once, so they count twice beside
--   the diagonal.
-- source: PWS Cup 2017 (without the diagonal: the contest's program; with it: its paper)
-- missing: where no pair is to compare nothing can be lost: 0
-- portable: no
--
-- parameter differences: column, what the blocks of items added
-- parameter norms: column, the norms of the items
-- parameter diagonal: integer, 1 to compare each item with itself too
WITH pairs AS (
    SELECT
        CAST(COALESCE(SUM(pairs), 0) AS BIGINT) AS pairs,
        COALESCE(SUM(difference), 0) AS difference,
        COALESCE(SUM(similarity), 0) AS similarity
    FROM {{ differences | identifier }}
),
diagonal AS (
    SELECT
        COUNT(*) AS items,
        COALESCE(SUM(CASE WHEN released = 0 THEN 1 ELSE 0 END), 0) AS vanished
    FROM {{ norms | identifier }}
    WHERE original > 0
),
sums AS (
    SELECT
        CAST(2 * pairs.difference{% if diagonal %} + diagonal.vanished{% endif %} AS DOUBLE) AS difference,
        CAST(2 * pairs.similarity{% if diagonal %} + diagonal.items{% endif %} AS DOUBLE) AS similarity
    FROM pairs, diagonal
)
SELECT
    CASE WHEN sums.similarity > 0 THEN LEAST(1, sums.difference / sums.similarity) ELSE 0 END AS loss,
    pairs.pairs,
    diagonal.items,
    CAST(diagonal.vanished AS BIGINT) AS vanished
FROM sums, pairs, diagonal
