-- close_settled
-- Leaves out of the open persons those who were singled out.
--
-- portable: no
--
-- parameter booked: column, the table that lists them
-- parameter tier: integer, the number of the tier that singled them out
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons ANTI JOIN (
    SELECT id FROM {{ booked | identifier }} WHERE tier = {{ tier | literal }}
) AS singled USING (id)
