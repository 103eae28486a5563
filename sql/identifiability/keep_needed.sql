-- keep_needed
-- Leaves open only the attributes without which a set can still be found.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * REPLACE (needed & ~required AS needed)
FROM open_persons
WHERE (needed & ~required) <> 0
