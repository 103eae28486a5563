-- association_rules
-- Association rules between items of a basket, "who buys this buys that", with their measures.
--
-- definition: a basket is the purchases of one person on one occasion. Over baskets, support is the share with both
--   items, confidence = support / support of the first, lift = confidence / support of the second, leverage = support
--   - product of the supports of both, conviction = (1 - support of the second) / (1 - confidence)
-- source: Agrawal and Srikant, Fast algorithms for mining association rules, 1994
-- missing: a record without a person or an item is left out; otherwise a missing value of a basket's columns is a value
-- read: the strongest rules come first; a lift above 1 says that the items go together; a confidence of 1 has no
--   conviction. Items are values of records.
-- runs: finish
--
-- include: rule_parameters
--
-- column first: VARCHAR, value, the item on the left side
-- column second: VARCHAR, value, the item on the right side
-- column baskets: BIGINT, baskets, with both
-- column support: DOUBLE, share, of baskets with both
-- column confidence: DOUBLE, share, of those with the first that have the second
-- column lift: DOUBLE, ratio, of the confidence to the support of the second
-- column leverage: DOUBLE, share, support above that of items without a connection
-- column conviction: DOUBLE, ratio, none where the confidence is 1
-- include: frequent_pairs
directed AS (
    SELECT first, second, baskets FROM pairs
    UNION ALL
    SELECT second AS first, first AS second, baskets FROM pairs
),
rules AS (
    SELECT
        a.item AS first,
        b.item AS second,
        directed.baskets,
        CAST(totals.baskets AS DOUBLE) AS total,
        CAST(a.baskets AS DOUBLE) AS with_first,
        CAST(b.baskets AS DOUBLE) AS with_second,
        directed.baskets / CAST(a.baskets AS DOUBLE) AS confidence
    FROM directed
    CROSS JOIN totals
    JOIN numbered AS a ON a.number = directed.first
    JOIN numbered AS b ON b.number = directed.second
)
SELECT
    first,
    second,
    baskets,
    baskets / total AS support,
    confidence,
    baskets * total / (with_first * with_second) AS lift,
    (baskets * total - with_first * with_second) / (total * total) AS leverage,
    (total - with_second) * with_first / NULLIF(total * (with_first - baskets), 0) AS conviction
FROM rules
WHERE confidence >= {{ least_confidence | literal }}
ORDER BY confidence DESC, baskets DESC, first, second
