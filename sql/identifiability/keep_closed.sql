-- keep_closed
-- Leaves open only those whom their largest set singles out: nobody else can be.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons SEMI JOIN closed USING (id)
