-- vector_norms
-- The norm of each item's vector in the original and in the release, and how many products its pairs may take.
--
-- definition: norm_i = sqrt(sum over u of V[u, i]^2); products: for each user who has the item, their other items
-- portable: no
--
-- parameter vectors: column, the vectors of the items
-- parameter exact: integer, 1 where doubles hold the sums exactly; else each is added up in one order
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    item,
    SQRT(SUM(original * original{% if not exact %} ORDER BY original{% endif %})) AS original,
    SQRT(SUM(released * released{% if not exact %} ORDER BY released{% endif %})) AS released,
    CAST(SUM(items - 1) AS BIGINT) AS products
FROM {{ vectors | identifier }}
GROUP BY item
