-- begin_classes
-- No tuple is in a class yet.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE quasi_classes (tuple BIGINT, class BIGINT, n BIGINT)
