-- numbered_users
-- Numbers the users of the original and those of a release, all of them differently.
--
-- definition: nobody is taken for the same person in both; items that the original has not do not count
-- portable: no
--
-- parameter original: column, what users of the original have of items
-- parameter release: column, the same of the release
-- parameter items: column, the numbered items
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH weights AS (
    SELECT 0 AS release, user_id, item FROM {{ original | identifier }}
    UNION ALL
    SELECT 1, user_id, item FROM {{ release | identifier }}
)
SELECT weights.release, weights.user_id, COUNT(*) AS items, CAST(ROW_NUMBER() OVER () AS INTEGER) AS number
FROM weights
JOIN {{ items | identifier }} AS items ON items.item = weights.item
GROUP BY weights.release, weights.user_id
