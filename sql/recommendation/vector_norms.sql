-- vector_norms
-- The norm of each item's vector in the original and in the release, and how many products its pairs may take.
--
-- definition: norm_i = sqrt(sum over u of V[u, i]^2), 0 where no user has the item; products: for each user who has the
--   item, their other items
-- portable: no
--
-- parameter vectors: column, the vectors of the items
-- parameter exact: integer, 1 where doubles hold the sums exactly; else each is added up in one order
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH users AS (
    SELECT user_number, COUNT(*) AS items
    FROM {{ vectors | identifier }}
    GROUP BY user_number
)
SELECT
    vectors.item,
    SQRT(SUM(CASE WHEN vectors.user_number > 0 THEN vectors.weight * vectors.weight ELSE 0 END{% if not exact %} ORDER BY vectors.weight{% endif %})) AS original,
    SQRT(SUM(CASE WHEN vectors.user_number < 0 THEN vectors.weight * vectors.weight ELSE 0 END{% if not exact %} ORDER BY vectors.weight{% endif %})) AS released,
    CAST(SUM(users.items - 1) AS BIGINT) AS products
FROM {{ vectors | identifier }} AS vectors
JOIN users ON users.user_number = vectors.user_number
GROUP BY vectors.item
