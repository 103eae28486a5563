-- agreeing_uniques
-- Adds the minimal uniques among some attribute sets of one size where a missing cell agrees with all.
--
-- portable: no
INSERT INTO suda_uniques
WITH alone AS (
    SELECT UNNEST(members) AS member, mask
    FROM agreeing_sizes
    WHERE alone
)
SELECT alone.member, alone.mask
FROM alone
WHERE NOT EXISTS (
    SELECT 1
    FROM suda_uniques AS smaller
    WHERE smaller.member = alone.member AND (smaller.mask & alone.mask) = smaller.mask
)
