-- agreeing_patterns
-- Counts the ways in which cells are missing.
--
-- portable: no
SELECT COUNT(DISTINCT missing) AS patterns FROM lattice_rows
