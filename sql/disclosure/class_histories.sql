-- class_histories
-- The users with the number of their records and of the different ones, and whether any of these misses something.
--
-- portable: yes
CREATE OR REPLACE TEMP TABLE class_histories AS
SELECT
    class_owners.person,
    CAST(SUM(class_owners.n) AS BIGINT) AS records,
    COUNT(*) AS parts,
    MAX(class_codes.missing_cells) > 0 AS incomplete
FROM class_owners
JOIN class_codes ON class_codes.class = class_owners.class
GROUP BY class_owners.person
