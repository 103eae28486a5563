-- item_blocks
-- Cuts the items into blocks of about equal work, each small enough to be held in memory.
--
-- definition: a block ends with the item that brings its products to the larger of `products` and a share of all, or its
--   pairs to `pairs`; an item has no more pairs than products, and none with an item before it
-- portable: no
--
-- parameter norms: column, the items with their products
-- parameter products: integer, so many products are worth a block
-- parameter blocks: integer, or this share of all, where that is more
-- parameter pairs: integer, so many pairs are a block in any case
WITH items AS (
    SELECT
        item,
        CAST(products AS DOUBLE) AS products,
        CAST(LEAST(products, MAX(item) OVER () - item) AS DOUBLE) AS pairs
    FROM {{ norms | identifier }}
),
added AS (
    SELECT
        item,
        SUM(products) OVER (ORDER BY item ROWS UNBOUNDED PRECEDING) - products AS products_before,
        SUM(pairs) OVER (ORDER BY item ROWS UNBOUNDED PRECEDING) - pairs AS pairs_before,
        GREATEST({{ products | literal }}, SUM(products) OVER () / {{ blocks | literal }}) AS most_products
    FROM items
),
placed AS (
    SELECT item, FLOOR(products_before / most_products) + FLOOR(pairs_before / {{ pairs | literal }}) AS block
    FROM added
)
SELECT MIN(item) AS first, MAX(item) AS last
FROM placed
GROUP BY block
ORDER BY first
