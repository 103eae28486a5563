-- number_open
-- Numbers the open combinations.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT *, ROW_NUMBER() OVER () AS number FROM open_persons
