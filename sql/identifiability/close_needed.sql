-- close_needed
-- Leaves open only what is still needed.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
WITH hit AS (
    SELECT id, BIT_AND(mask) AS every_mask FROM hits GROUP BY id
),
narrowed AS (
    SELECT open.* REPLACE (needed & COALESCE(hit.every_mask, needed) AS needed)
    FROM open_persons AS open
    LEFT JOIN hit ON hit.id = open.id
)
SELECT * FROM narrowed WHERE needed <> 0
