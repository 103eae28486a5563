-- gain_begin
-- The gains of the cells that are there, class by class, before any is found.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE class_gains (place INTEGER, class BIGINT, gain DECIMAL(38, 18))
