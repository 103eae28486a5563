-- item_similarity
-- How alike items are, by the users who have both: what "bought by the same people" recommendations are made of.
--
-- definition: V[u, i] = the records of user u with item i, or the sum of their quantity where that is above zero;
--   similarity(i, j) = sum over u of V[u, i] V[u, j] / (norm_i norm_j), norm_i = sqrt(sum over u of V[u, i]^2): the
--   cosine of two items' vectors over the users. Pairs that fewer than `least` users share are left out.
-- source: Sarwar, Karypis, Konstan and Riedl, Item-based collaborative filtering recommendation algorithms, 2001;
--   Linden, Smith and York, Amazon.com recommendations, 2003; PWS Cup 2017, ut-ItemCF
-- missing: a record without a user or an item is left out; a missing quantity adds nothing, and quantities count in
--   thousandths.
-- read: one row a pair of different items, the most alike first; 1 means the same users in the same proportions. A
--   pair that a single user shares tells of that user: keep the result safe, or raise `least`.
-- portable: yes
--
-- parameter source: relation, the records
-- parameter user: column, the user of a record
-- parameter item: column, the item; items are compared as text
-- parameter quantity: column or none, what is summed; none counts records
-- parameter least: integer, the fewest users that a pair shares
-- parameter most: integer or none, how many pairs to list; none lists all
--
-- column item: VARCHAR, the item as text, i: of the two the one that more users have
-- column other: VARCHAR, the item as text, j
-- column users: BIGINT, users, those who have both
-- column similarity: DOUBLE, cosine, from 0 to 1
WITH history AS (
    SELECT
        CAST({{ user | identifier }} AS STRING) AS user_id,
        CAST({{ item | identifier }} AS STRING) AS item{% if quantity is not none %},
        CAST({{ quantity | identifier }} AS DECIMAL(18, 3)) AS quantity{% endif %}

    FROM {{ source | relation }}
),
weights AS (
    SELECT user_id, item, {% if quantity is not none %}CAST(SUM(quantity) AS DECIMAL(18, 3)){% else %}CAST(COUNT(*) AS DOUBLE){% endif %} AS weight
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
    SELECT first.item_number, second.item_number AS other_number, COUNT(*) AS users, SUM(first.weight * second.weight) AS dot
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
