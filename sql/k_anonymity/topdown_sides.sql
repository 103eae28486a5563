-- topdown_sides
-- How many records and tuples each side of each group has.
--
-- portable: yes
CREATE OR REPLACE TEMP TABLE quasi_counts AS
SELECT part, side, CAST(SUM(n) AS BIGINT) AS records, COUNT(*) AS tuples
FROM quasi_placed
GROUP BY part, side
