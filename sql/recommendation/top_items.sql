-- top_items
-- The items with the most users, and the number of them that a release loses.
--
-- source: PWS Cup 2017, ut-topk
-- runs: finish

-- name: top_items
-- The items with the most users.
--
-- definition: the first `most` items by the number of different users with a record of the item; of items with equally
--   many users the larger name comes first
-- source: PWS Cup 2017, ut-topk
-- missing: a record without a user or an item is left out.
-- read: one row an item. Items that few users have single these out; the top ones hardly do.
--
-- parameter source: relation, the records
-- parameter user: column, the user of a record
-- parameter item: column, the item; items are compared as text
-- parameter most: integer or none, largest number of items to list; none lists all
--
-- column place: BIGINT, rank, of the item, from 1
-- column item: VARCHAR, the item as text, i
-- column users: BIGINT, users, different users with a record of it
-- column records: BIGINT, records, records of it
WITH history AS (
    SELECT {{ user | identifier }} AS user_id, CAST({{ item | identifier }} AS STRING) AS item
    FROM {{ source | relation }}
),
items AS (
    SELECT item, COUNT(DISTINCT user_id) AS users, COUNT(*) AS records
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY item
)
SELECT ROW_NUMBER() OVER (ORDER BY users DESC, item DESC) AS place, item, users, records
FROM items
ORDER BY place
{% if most is not none %}
LIMIT {{ most | literal }}
{% endif %}

-- name: keep_top_items
-- Stores the top items of a table, for comparison with others.
-- parameter top: relation, the query of its top items
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT item FROM ({{ top | relation }}) AS top

-- name: top_items_loss
-- The number of the original's top items that are not among those of a release.
--
-- definition: |U - U'| / k, with U and U' the k items that most users have
-- source: PWS Cup 2017, ut-topk
-- missing: where the original has fewer than k items the rest is not lost; items that it has not can be among U'
--
-- parameter original: column, the table of the original's top items
-- parameter release: relation, the query of the top items of the release
-- parameter k: integer, number of top items
WITH original AS (
    SELECT item FROM {{ original | identifier }}
),
release AS (
    SELECT item FROM ({{ release | relation }}) AS top
)
SELECT
    COUNT(original.item) - COUNT(release.item) AS missing,
    COUNT(original.item) AS items,
    CAST(COUNT(original.item) - COUNT(release.item) AS DOUBLE) / {{ k | literal }} AS loss
FROM original
LEFT JOIN release ON release.item = original.item
