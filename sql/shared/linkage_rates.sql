-- linkage_rates
-- The share of records linked correctly, by shuffle; reads nearest and ties.

rates AS (
    SELECT nearest.shuffle, CAST(SUM(CAST(COALESCE(1.0 / ties.ties, 0) AS DECIMAL(38, 18))) AS DOUBLE)
        / COUNT(*) AS rate
    FROM nearest
    LEFT JOIN ties ON ties.shuffle = nearest.shuffle AND ties.number = nearest.number
    GROUP BY nearest.shuffle
)
SELECT
    (SELECT COUNT(*) FROM originals) AS records,
    ANY_VALUE(CASE WHEN shuffle = 0 THEN rate END) AS rate,
