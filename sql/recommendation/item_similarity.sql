-- item_similarity
-- The similarity of items by their common users, in the original and in a release.
--
-- idea: the matrix of all pairs is never kept: items are taken in blocks, and each block of both matrices is compared
--   and added up before the next one is computed.
-- source: Sarwar, Karypis, Konstan and Riedl, 2001; Linden, Smith and York, 2003; PWS Cup 2017, ut-ItemCF
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: column, the user of a record
-- parameter item: column, the item; items are compared as text
-- parameter table: column, the table that is made
-- parameter vectors: column, the vectors of the items
-- parameter exact_sums: flag, doubles hold the sums exactly; else add them up in one order

-- name: item_similarity
-- The similarity of items by their common users, the basis of "bought by the same people" recommendations.
--
-- definition: V[u, i] = the records of user u with item i, or the sum of their quantity where that is above zero;
--   similarity(i, j) = sum over u of V[u, i] V[u, j] / (norm_i norm_j), norm_i = sqrt(sum over u of V[u, i]^2): the
--   cosine of two items' vectors over the users. Pairs that fewer than `least` users share are left out.
-- source: Sarwar, Karypis, Konstan and Riedl, Item-based collaborative filtering recommendation algorithms, 2001;
--   Linden, Smith and York, Amazon.com recommendations, 2003; PWS Cup 2017, ut-ItemCF
-- missing: a record without a user or an item is left out; a missing quantity adds nothing, and quantities count in
--   thousandths.
-- read: one row per pair of different items, the most similar first; 1 means the same users in the same proportions.
--   A pair with one common user reveals data of that user: keep the result safe, or raise `least`.
-- instead: similarity_loss
--
-- parameter source: relation, the records
-- parameter user: column, the user of a record
-- parameter item: column, the item; items are compared as text
-- parameter quantity: column or none, the summed quantity; none counts records
-- parameter least: integer, the fewest users that a pair shares
-- parameter most: integer or none, largest number of pairs to list; none lists all
--
-- column item: VARCHAR, the item as text, i: of the two the one that more users have
-- column other: VARCHAR, the item as text, j
-- column users: BIGINT, users, with both items
-- column similarity: DOUBLE, cosine, from 0 to 1
WITH history AS (
    SELECT
        CAST({{ user | identifier }} AS STRING) AS user_id,
        CAST({{ item | identifier }} AS STRING) AS item{% if quantity is not none %},
        CAST({{ quantity | identifier }} AS DECIMAL(18, 3)) AS quantity{% endif %}

    FROM {{ source | relation }}
),
weights AS (
    SELECT user_id, item,
        {% if quantity is not none %}CAST(SUM(quantity) AS DECIMAL(18, 3)){% else %}CAST(COUNT(*) AS DOUBLE){% endif %}
        AS weight
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY user_id, item
),
items AS (
    SELECT
        item,
        ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, item) AS item_number,
        CAST(SUM(weight * weight) AS DOUBLE) AS squares
    FROM weights
    WHERE weight > 0
    GROUP BY item
    HAVING COUNT(*) >= {{ least | literal }}
),
users AS (
    SELECT user_id, ROW_NUMBER() OVER (ORDER BY user_id) AS user_number
    FROM weights
    GROUP BY user_id
),
vectors AS (
    SELECT users.user_number, items.item_number, weights.weight
    FROM weights
    JOIN items ON items.item = weights.item
    JOIN users ON users.user_id = weights.user_id
    WHERE weights.weight > 0
),
dots AS (
    SELECT first.item_number, second.item_number AS other_number, COUNT(*) AS users,
        SUM(first.weight * second.weight) AS dot
    FROM vectors AS second
    JOIN vectors AS first ON first.user_number = second.user_number AND first.item_number < second.item_number
    GROUP BY first.item_number, second.item_number
    HAVING COUNT(*) >= {{ least | literal }}
)
SELECT
    items.item,
    others.item AS other,
    dots.users,
    LEAST(1, CAST(dots.dot AS DOUBLE) / SQRT(items.squares * others.squares)) AS similarity
FROM dots
JOIN items ON items.item_number = dots.item_number
JOIN items AS others ON others.item_number = dots.other_number
ORDER BY similarity DESC, item, other
{% if most is not none %}
LIMIT {{ most | literal }}
{% endif %}

-- name: numbered_items
-- Numbers the items of the original, those with the most records first.
--
-- definition: a pair of items is kept as two numbers, the smaller of the item with more records
-- missing: a record without a user or an item is left out
--
-- takes: user, item, table
-- parameter source: relation, the records of the original
-- parameter items: column or none, the table of the only items that count
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH history AS (
    SELECT CAST({{ user | identifier }} AS VARCHAR) AS user_id, CAST({{ item | identifier }} AS VARCHAR) AS item
    FROM {{ source | relation }}
)
SELECT item, CAST(ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, item) AS INTEGER) AS number
FROM history
WHERE user_id IS NOT NULL AND item IS NOT NULL
{% if items is not none %}
AND item IN (SELECT CAST(item AS VARCHAR) FROM {{ items | identifier }})
{% endif %}
GROUP BY item

-- name: begin_vectors
-- Creates the empty table of the vectors of all items, one row for each user with an item.
-- takes: table
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (user_number INTEGER, item INTEGER, weight DOUBLE)

-- name: numbered_users
-- Numbers the users of a table: 1, 2, ... those of the original, -1, -2, ... those of a release.
--
-- definition: nobody is taken for the same person in both
--
-- takes: source, user, table
-- parameter released: flag, number the users of a release
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH users AS (
    SELECT CAST({{ user | identifier }} AS VARCHAR) AS user_id
    FROM {{ source | relation }}
    GROUP BY user_id
)
SELECT user_id, CAST({% if released %}-{% endif %}ROW_NUMBER() OVER () AS INTEGER) AS number
FROM users
WHERE user_id IS NOT NULL

-- name: item_vectors
-- The weight of each item for each user of a history: the vectors of items.
--
-- definition: V[u, i] = the records of user u with item i, or the sum of their quantity, or 1; removed if above
--   at_most; then floor(V / bucket), at most cap; only positive weights count. Ordered by item, so that a block of
--   items is contiguous.
-- source: PWS Cup 2017, ut-ItemCF-supply (bucket 12, cap 6) and ut-ItemCF-retail (at_most 11)
-- missing: a record without a user or an item is left out; a quantity that is missing or no number adds nothing. A
--   user whose quantities of an item come to zero or less, as when all was returned, does not have it.
--
-- takes: source, user, item
-- parameter weighting: text, records, quantity or binary
-- parameter quantity: column or none, the summed quantity; none takes 1 per record
-- parameter at_most: integer or none, the largest amount that counts
-- parameter bucket: integer or none, how much makes one
-- parameter cap: integer or none, the largest weight
-- parameter items: column, the numbered items
-- parameter users: column, the numbered users
-- parameter released: flag, a release: keep only the items that users of the original have
-- parameter table: column, the table of vectors that is added to
INSERT INTO {{ table | identifier }}
WITH history AS (
    SELECT
        CAST({{ user | identifier }} AS VARCHAR) AS user_id,
        CAST({{ item | identifier }} AS VARCHAR) AS item,
        {% if quantity is not none %}TRY_CAST({{ quantity | identifier }} AS DECIMAL(38, 6)){% else %}1{% endif %}
            AS quantity
    FROM {{ source | relation }}
),
amounts AS (
    SELECT
        users.number AS user_number,
        items.number AS item,
        {% if weighting == "quantity" %}SUM(history.quantity)
        {% elif weighting == "records" %}COUNT(*){% else %}1{% endif %} AS amount
    FROM history
    JOIN {{ items | identifier }} AS items ON items.item = history.item
    JOIN {{ users | identifier }} AS users ON users.user_id = history.user_id
{% if released %}
    WHERE items.number IN (SELECT item FROM {{ table | identifier }})
{% endif %}
    GROUP BY users.number, items.number
),
weights AS (
    SELECT
        user_number,
        item,
        {% if cap is not none %}LEAST(
            {{ cap | literal }},
            {% endif %}{% if bucket is not none %}FLOOR(amount
            / {{ bucket | literal }}){% else %}amount{% endif %}{% if cap is not none %}){% endif %} AS weight
    FROM amounts
    WHERE amount > 0{% if at_most is not none %} AND amount <= {{ at_most | literal }}{% endif %}

)
SELECT user_number, item, CAST(weight AS DOUBLE) AS weight
FROM weights
WHERE weight > 0
ORDER BY item, user_number

-- name: vector_sizes
-- Whether doubles hold the sums of products exactly, and the number of users above the limit of items.
--
-- definition: exact where all weights are whole and no sum of products reaches 2^53: then no order of adding matters
--
-- takes: vectors
-- parameter most_items: integer or none, users with more items are left out
WITH items AS (
    SELECT item, COUNT(*) AS users, MAX(weight) AS largest, BOOL_AND(weight = FLOOR(weight)) AS whole
    FROM {{ vectors | identifier }}
    GROUP BY item
),
large AS (
{% if most_items is none %}
    SELECT 0 AS users, 0 AS released_users
{% else %}
    SELECT
        COUNT(CASE WHEN user_number > 0 THEN 1 END) AS users,
        COUNT(CASE WHEN user_number < 0 THEN 1 END) AS released_users
    FROM (
        SELECT user_number
        FROM {{ vectors | identifier }}
        GROUP BY user_number
        HAVING COUNT(*) > {{ most_items | literal }}
    ) AS users
{% endif %}
)
SELECT
    COALESCE((SELECT BOOL_AND(whole AND largest * largest * users < 9007199254740992) FROM items), TRUE) AS exact,
    users AS omitted_users,
    released_users AS omitted_release_users
FROM large

-- name: leave_out_users
-- Removes the users above the limit of items: a user with n items costs n^2 / 2 products.
-- takes: vectors
-- parameter most_items: integer, the most items of a user
DELETE FROM {{ vectors | identifier }}
WHERE user_number IN (
    SELECT user_number
    FROM {{ vectors | identifier }}
    GROUP BY user_number
    HAVING COUNT(*) > {{ most_items | literal }}
)

-- name: vector_norms
-- The norm of each item's vector in the original and in the release, and the number of products of its pairs.
--
-- definition: norm_i = sqrt(sum over u of V[u, i]^2), 0 without users; products: for each user of the item, their
--   other items. Every item number has a row, so that a list of norms can be indexed by it.
--
-- takes: vectors, exact_sums, table
-- parameter items: column, the numbered items
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH users AS (
    SELECT user_number, COUNT(*) AS items
    FROM {{ vectors | identifier }}
    GROUP BY user_number
)
SELECT
    items.number AS item,
    SQRT(SUM(CASE WHEN vectors.user_number > 0 THEN vectors.weight * vectors.weight ELSE 0 END{% if not exact_sums %}
        ORDER BY vectors.weight{% endif %})) AS original,
    SQRT(SUM(CASE WHEN vectors.user_number < 0 THEN vectors.weight * vectors.weight ELSE 0 END{% if not exact_sums %}
        ORDER BY vectors.weight{% endif %})) AS released,
    CAST(COALESCE(SUM(users.items - 1), 0) AS BIGINT) AS products
FROM {{ items | identifier }} AS items
LEFT JOIN {{ vectors | identifier }} AS vectors ON vectors.item = items.number
LEFT JOIN users ON users.user_number = vectors.user_number
GROUP BY items.number

-- name: begin_differences
-- Creates the empty table of the contributions of blocks of items to the distance of two tables.
-- takes: table
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (
    first INTEGER, pairs BIGINT, difference DECIMAL(38, 18), similarity DECIMAL(38, 18)
)

-- name: item_blocks
-- Splits the items into blocks of about equal work, each small enough for memory.
--
-- definition: a block ends with the item that brings its products to the larger of `products` and a share of all, or
--   its pairs to `pairs`; an item has no more pairs than products, and none with an item before it. Items without
--   products are left out.
--
-- parameter norms: column, the items with their products
-- parameter products: integer, number of products that justify a block
-- parameter blocks: integer, or this share of all, where that is more
-- parameter pairs: integer, smallest number of pairs of a block
WITH items AS (
    SELECT
        item,
        CAST(products AS DOUBLE) AS products,
        CAST(LEAST(products, MAX(item) OVER () - item) AS DOUBLE) AS pairs
    FROM {{ norms | identifier }}
    WHERE products > 0
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

-- name: add_differences
-- The similarities of the items of one block in the original, and their distance from those in the release.
--
-- definition: W[i, j] = (sum over u of V[u, i] V[u, j]) / (norm_i norm_j), the cosine, and W' in the release, 0 where
--   no user has both; of the pairs i < j that some user of the original has: sum of |W - W'|, and sum of W. A pair is
--   one number, which is quicker to group by: the first item in its upper 32 bits, the other in its lower ones. Norms
--   are looked up in a list, and cosines added as whole numbers of 1e-18, which is quicker than to join and to add
--   decimals.
-- source: PWS Cup 2017; Linden, Smith and York, Amazon.com recommendations, 2003
--
-- takes: exact_sums
-- parameter vectors: column, the vectors of the items, with numbers above 0 for users of the original
-- parameter norms: column, their norms
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
        SUM(CASE WHEN is_original THEN product ELSE 0 END{% if not exact_sums %} ORDER BY product{% endif %})
            AS original,
        SUM(CASE WHEN is_original THEN 0 ELSE product END{% if not exact_sums %} ORDER BY product{% endif %})
            AS released
    FROM products
    GROUP BY pair
),
lengths AS (
    SELECT LIST(original ORDER BY item) AS original, LIST(released ORDER BY item) AS released
    FROM {{ norms | identifier }}
),
cosines AS (
    SELECT
        dots.original / (lengths.original[dots.pair >> 32] * lengths.original[dots.pair & 4294967295]) AS original,
        CASE
            WHEN dots.released > 0
                THEN dots.released / (lengths.released[dots.pair >> 32] * lengths.released[dots.pair & 4294967295])
            ELSE 0
        END AS released
    FROM dots
    CROSS JOIN lengths
    WHERE dots.original > 0
),
sums AS (
    SELECT
        COUNT(*) AS pairs,
        COALESCE(SUM(CAST(ROUND(ABS(original - released) * 1e18) AS BIGINT)), 0) AS difference,
        COALESCE(SUM(CAST(ROUND(original * 1e18) AS BIGINT)), 0) AS similarity
    FROM cosines
)
SELECT
    {{ first | literal }},
    pairs,
    CAST(difference AS DECIMAL(38, 0)) * 0.000000000000000001,
    CAST(similarity AS DECIMAL(38, 0)) * 0.000000000000000001
FROM sums

-- name: similarity_loss
-- The loss of item similarity in a release: 0 unchanged, 1 useless.
--
-- definition: D(W, W') = min(1, sum of |W[i, j] - W'[i, j]| / sum of W[i, j]) over the dense set WD: the ordered
--   pairs of different items with a common user in the original; with the diagonal also each item with itself, where
--   W is 1 and W' is 1 unless the item has no user in the release. Pairs were added up once, so they count twice
--   compared with the diagonal.
-- source: PWS Cup 2017 (without the diagonal: the contest's program; with it: its paper)
-- missing: where no pair is to compare nothing can be lost: 0
--
-- parameter differences: column, the contributions of the blocks of items
-- parameter norms: column, the norms of the items
-- parameter diagonal: flag, compare each item with itself too
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
