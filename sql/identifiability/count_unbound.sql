-- count_unbound
-- Counts the open combinations that require no attribute: each agrees with any other in all that it requires.
--
-- portable: no
SELECT COUNT(*) AS combinations FROM open_persons WHERE required = 0
