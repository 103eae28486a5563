-- keep_known
-- Leaves open only those whom a limit did not leave unknown.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons ANTI JOIN left_persons USING (id)
