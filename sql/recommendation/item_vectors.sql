-- item_vectors
-- How much of each item each user of a history has: the vectors that items are compared by.
--
-- definition: V[u, i] = the records of user u with item i, or the sum of their quantity, or 1; gone where that is
--   above at_most; then floor(V / bucket), at most cap; and only what is above zero counts. Ordered by item, so that
--   a block of items lies together.
-- source: PWS Cup 2017, ut-ItemCF-supply (bucket 12, cap 6) and ut-ItemCF-retail (at_most 11)
-- missing: a record without a user or an item is left out; a quantity that is missing or no number adds nothing. A
--   user whose quantities of an item come to zero or less, as when all was returned, does not have it.
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: column, the user of a record
-- parameter item: column, the item; items are compared as text
-- parameter weighting: text, records, quantity or binary
-- parameter quantity: column or none, what is summed by the weighting quantity; none takes 1 a record
-- parameter at_most: integer or none, the largest amount that counts
-- parameter bucket: integer or none, how much makes one
-- parameter cap: integer or none, the largest weight
-- parameter items: column, the numbered items
-- parameter users: column, the numbered users
-- parameter released: integer, 1 for a release: only items that users of the original have
-- parameter table: column, the table of vectors that is added to
INSERT INTO {{ table | identifier }}
WITH history AS (
    SELECT
        CAST({{ user | identifier }} AS VARCHAR) AS user_id,
        CAST({{ item | identifier }} AS VARCHAR) AS item,
        {% if quantity is not none %}TRY_CAST({{ quantity | identifier }} AS DECIMAL(38, 6)){% else %}1{% endif %} AS quantity
    FROM {{ source | relation }}
),
amounts AS (
    SELECT
        users.number AS user_number,
        items.number AS item,
        {% if weighting == "quantity" %}SUM(history.quantity){% elif weighting == "records" %}COUNT(*){% else %}1{% endif %} AS amount
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
        {% if cap is not none %}LEAST({{ cap | literal }}, {% endif %}{% if bucket is not none %}FLOOR(amount / {{ bucket | literal }}){% else %}amount{% endif %}{% if cap is not none %}){% endif %} AS weight
    FROM amounts
    WHERE amount > 0{% if at_most is not none %} AND amount <= {{ at_most | literal }}{% endif %}

)
SELECT user_number, item, CAST(weight AS DOUBLE) AS weight
FROM weights
WHERE weight > 0
ORDER BY item, user_number
