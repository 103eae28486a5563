-- keep_needed
-- Leaves open only the attributes without which a set can still be found.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * EXCLUDE (reached) REPLACE (needed & reached AS needed)
FROM reachable
WHERE (needed & reached) <> 0
