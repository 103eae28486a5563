-- leave_out_users
-- Leaves out of the vectors the users who have more items: a user with n items costs n^2 / 2 products.
--
-- portable: no
--
-- parameter vectors: column, the vectors of the items
-- parameter most_items: integer, the most items of a user
DELETE FROM {{ vectors | identifier }}
WHERE user_number IN (
    SELECT user_number
    FROM {{ vectors | identifier }}
    GROUP BY user_number
    HAVING COUNT(*) > {{ most_items | literal }}
)
