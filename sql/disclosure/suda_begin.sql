-- suda_begin
-- Begins the table of minimal uniques.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE suda_uniques (member INTEGER, mask BIGINT)
