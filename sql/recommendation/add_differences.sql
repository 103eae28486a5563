-- add_differences
-- How alike the items of one block and those after them are in the original, and how far the release is from that.
--
-- definition: W[i, j] = (sum over u of V[u, i] V[u, j]) / (norm_i norm_j), the cosine, and W' in the release, 0 where no
--   user has both; of the pairs i < j that some user of the original has: sum of |W - W'|, and sum of W. A pair is one
--   number, which is quicker to group by: the first item in its upper 32 bits, the other in its lower ones.
-- source: PWS Cup 2017; Linden, Smith and York, Amazon.com recommendations, 2003
-- portable: no
--
-- parameter vectors: column, the vectors of the items, with numbers above 0 for users of the original
-- parameter norms: column, their norms
-- parameter exact: integer, 1 where doubles hold the sums exactly; else each is added up in one order
-- parameter first: integer, the first item of the block
-- parameter last: integer, its last
-- parameter table: column, the table that is added to
INSERT INTO {{ table | identifier }}
WITH items AS (
    SELECT user_number, item, weight
    FROM {{ vectors | identifier }}
    WHERE item BETWEEN {{ first | literal }} AND {{ last | literal }}
),
others AS (
    SELECT user_number, item, weight
    FROM {{ vectors | identifier }}
    WHERE item > {{ first | literal }}
),
products AS (
    SELECT
        items.item * CAST(4294967296 AS BIGINT) + others.item AS pair,
        others.user_number > 0 AS is_original,
        items.weight * others.weight AS product
    FROM others
    JOIN items ON items.user_number = others.user_number AND items.item < others.item
),
dots AS (
    SELECT
        pair,
        SUM(CASE WHEN is_original THEN product ELSE 0 END{% if not exact %} ORDER BY product{% endif %}) AS original,
        SUM(CASE WHEN is_original THEN 0 ELSE product END{% if not exact %} ORDER BY product{% endif %}) AS released
    FROM products
    GROUP BY pair
),
cosines AS (
    SELECT
        dots.original / (norm.original * other_norm.original) AS original,
        CASE WHEN dots.released > 0 THEN dots.released / (norm.released * other_norm.released) ELSE 0 END AS released
    FROM dots
    JOIN {{ norms | identifier }} AS norm ON norm.item = dots.pair >> 32
    JOIN {{ norms | identifier }} AS other_norm ON other_norm.item = dots.pair & 4294967295
    WHERE dots.original > 0
)
SELECT
    {{ first | literal }},
    COUNT(*),
    COALESCE(SUM(CAST(ABS(original - released) AS DECIMAL(38, 18))), 0),
    COALESCE(SUM(CAST(original AS DECIMAL(38, 18))), 0)
FROM cosines
