-- vector_sizes
-- How much there is to multiply, whether doubles hold the sums exactly, and who was left out of the vectors.
--
-- definition: exact where all weights are whole and no sum of products reaches 2^53: then no order of adding matters
-- portable: no
--
-- parameter vectors: column, the vectors of the items
-- parameter users: column, the numbered users
-- parameter most_items: integer or none, users with more items were left out
WITH items AS (
    SELECT
        item,
        COUNT(*) AS users,
        MAX(GREATEST(original, released)) AS largest,
        BOOL_AND(original = FLOOR(original) AND released = FLOOR(released)) AS whole
    FROM {{ vectors | identifier }}
    GROUP BY item
)
SELECT
    COALESCE(BOOL_AND(whole AND largest * largest * users < 9007199254740992), TRUE) AS exact,
    (SELECT COUNT(*) FROM {{ users | identifier }} WHERE release = 0 AND items > {% if most_items is not none %}{{ most_items | literal }}{% else %}items{% endif %}) AS users_left_out,
    (SELECT COUNT(*) FROM {{ users | identifier }} WHERE release = 1 AND items > {% if most_items is not none %}{{ most_items | literal }}{% else %}items{% endif %}) AS release_users_left_out
FROM items
