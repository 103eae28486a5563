-- release
-- Books whom a tier's sets single out without an attribute that all their easiest sets need.
--
-- portable: no
--
-- parameter tier: integer, the number of the tier
INSERT INTO without_attribute BY NAME
WITH hit AS (
    SELECT id, BIT_AND(mask) AS every_mask FROM hits GROUP BY id
),
-- Counted before the attributes come in: DuckDB 2.0 stops where texts go from one join straight into the next.
counted AS (
    SELECT needed & ~hit.every_mask AS left_out, missing, COUNT(*) AS persons
    FROM hit
    JOIN open_persons USING (id)
    GROUP BY left_out, missing
)
SELECT position, {{ tier | literal }} AS tier, missing, CAST(SUM(persons) AS BIGINT) AS records
FROM counted
JOIN searched_attributes ON (left_out & bit) <> 0
GROUP BY position, missing
