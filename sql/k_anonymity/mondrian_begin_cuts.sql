-- mondrian_begin_cuts
-- No cut is known yet.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE quasi_cuts (part BIGINT, attribute INTEGER, cut INTEGER, below BIGINT, records BIGINT)
