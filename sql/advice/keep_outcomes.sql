-- keep_outcomes
-- Keeps what the leak of each record tells that is singled out, of the treatment that was searched last.
--
-- definition: "every_mask" are the attributes that all of its easiest sets have in common
--
-- portable: no
CREATE OR REPLACE TEMP TABLE advice_outcomes AS
SELECT
    settled.id AS tuple,
    CAST(tier_ease.ease AS DECIMAL(18, 15)) * patterns.sensitivity AS value,
    settled.every_mask,
    treated_cells.spread
FROM settled
JOIN treated_cells ON treated_cells.tuple = settled.id
JOIN tier_ease ON tier_ease.tier = settled.tier
JOIN patterns ON patterns.missing = settled.missing
