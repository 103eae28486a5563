-- release
-- Books whom a tier's sets single out without an attribute that all their easiest sets need.
--
-- portable: no
--
-- parameter tier: integer, the number of the tier
INSERT INTO without_attribute BY NAME
WITH hit AS (
    SELECT id, BIT_AND(mask) AS every_mask FROM hits GROUP BY id
)
SELECT position, {{ tier | literal }} AS tier, missing, COUNT(*) AS records
FROM hit
JOIN open_persons USING (id)
JOIN searched_attributes ON (needed & ~hit.every_mask & bit) <> 0
GROUP BY position, missing
