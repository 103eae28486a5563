-- numbered_items
-- Numbers the items that users of the original have, those with the most users first.
--
-- definition: a pair of items is kept as two numbers, the smaller of the item with more users
-- portable: no
--
-- parameter weights: column, what users of the original have of items
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT item, CAST(ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, item) AS INTEGER) AS number
FROM {{ weights | identifier }}
GROUP BY item
