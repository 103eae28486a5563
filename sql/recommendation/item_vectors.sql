-- item_vectors
-- The vectors of all items in the original and in a release, one row for each user who has an item.
--
-- definition: original = V[u, i] and released = 0 for a user of the original; original = 0 and released = V'[u, i] for
--   one of the release. Ordered by item, so that a block of items lies together.
-- portable: no
--
-- parameter original: column, what users of the original have of items
-- parameter release: column, the same of the release
-- parameter items: column, the numbered items
-- parameter users: column, the numbered users
-- parameter most_items: integer or none, leave users out who have more items
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH weights AS (
    SELECT 0 AS release, user_id, item, weight AS original, CAST(0 AS DOUBLE) AS released FROM {{ original | identifier }}
    UNION ALL
    SELECT 1, user_id, item, CAST(0 AS DOUBLE), weight FROM {{ release | identifier }}
)
SELECT
    users.number AS user_number,
    items.number AS item,
    CAST(users.items AS INTEGER) AS items,
    weights.original,
    weights.released
FROM weights
JOIN {{ items | identifier }} AS items ON items.item = weights.item
JOIN {{ users | identifier }} AS users ON users.release = weights.release AND users.user_id = weights.user_id
{% if most_items is not none %}
WHERE users.items <= {{ most_items | literal }}
{% endif %}
ORDER BY items.number, users.number
