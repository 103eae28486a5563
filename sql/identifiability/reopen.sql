-- reopen
-- Leaves open only those who still are.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM still_open
