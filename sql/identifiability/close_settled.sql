-- close_settled
-- Leaves out of the open persons those who were singled out.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons ANTI JOIN found USING (id)
