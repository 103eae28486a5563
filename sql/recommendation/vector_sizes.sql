-- vector_sizes
-- Whether doubles hold the sums of products exactly, and how many users have more items than are to be compared.
--
-- definition: exact where all weights are whole and no sum of products reaches 2^53: then no order of adding matters
-- portable: no
--
-- parameter vectors: column, the vectors of the items
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
    users AS users_left_out,
    released_users AS release_users_left_out
FROM large
