-- association_rules_of_three
-- Association rules with two items on the left side, "who buys this and this buys that".
--
-- definition: as in association_rules, with two items before: support is the share of baskets with all three,
--   confidence = support / support of the first two, lift = confidence / support of the third
-- source: the use case of PWS Cup 2017 (paper, section 3.6: who buys powdered milk and nappies buys beer); Agrawal and
--   Srikant, Fast algorithms for mining association rules, 1994
-- missing: a record without a person or an item is left out; otherwise a missing value of a basket's columns is a value
-- read: the strongest rules come first; the order of the first two means nothing. Items are values of records.
-- runs: finish
--
-- include: rule_parameters
--
-- column first: VARCHAR, value, the smaller item on the left side, by text
-- column second: VARCHAR, value, the larger item on the left side
-- column third: VARCHAR, value, the item on the right side
-- column baskets: BIGINT, baskets, with all three
-- column support: DOUBLE, share, of baskets with all three
-- column confidence: DOUBLE, share, of those with the first two that have the third
-- column lift: DOUBLE, ratio, of the confidence to the support of the third
-- include: frequent_pairs
-- Of three frequent items every two are frequent: only such threes are counted.
candidates AS MATERIALIZED (
    SELECT a.first, a.second, b.second AS third
    FROM pairs AS a
    JOIN pairs AS b ON b.first = a.first AND b.second > a.second
    JOIN pairs AS c ON c.first = a.second AND c.second = b.second
),
held AS MATERIALIZED (
    SELECT pairs.first, pairs.second, a.basket
    FROM pairs
    JOIN kept AS a ON a.number = pairs.first
    JOIN kept AS b ON b.basket = a.basket AND b.number = pairs.second
),
-- One join after the other: in a single join the engine would join all items of a basket with each other.
followed AS MATERIALIZED (
    SELECT held.basket, candidates.first, candidates.second, candidates.third
    FROM held
    JOIN candidates ON candidates.first = held.first AND candidates.second = held.second
),
threes AS (
    SELECT followed.first, followed.second, followed.third, COUNT(*) AS baskets
    FROM followed
    JOIN kept ON kept.basket = followed.basket AND kept.number = followed.third
    GROUP BY followed.first, followed.second, followed.third
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= {{ least_support | literal }}
),
directed AS (
    SELECT first, second, third, baskets FROM threes
    UNION ALL
    SELECT first, third AS second, second AS third, baskets FROM threes
    UNION ALL
    SELECT second AS first, third AS second, first AS third, baskets FROM threes
),
rules AS (
    SELECT
        a.item AS first,
        b.item AS second,
        c.item AS third,
        directed.baskets,
        CAST(totals.baskets AS DOUBLE) AS total,
        directed.baskets / CAST(pairs.baskets AS DOUBLE) AS confidence,
        CAST(pairs.baskets AS DOUBLE) AS with_both,
        CAST(c.baskets AS DOUBLE) AS with_third
    FROM directed
    CROSS JOIN totals
    JOIN pairs ON pairs.first = directed.first AND pairs.second = directed.second
    JOIN numbered AS a ON a.number = directed.first
    JOIN numbered AS b ON b.number = directed.second
    JOIN numbered AS c ON c.number = directed.third
)
SELECT
    first,
    second,
    third,
    baskets,
    baskets / total AS support,
    confidence,
    baskets * total / (with_both * with_third) AS lift
FROM rules
WHERE confidence >= {{ least_confidence | literal }}
ORDER BY confidence DESC, baskets DESC, first, second, third
