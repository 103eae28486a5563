-- set_counted
-- How many attribute sets were looked at.
--
-- portable: no
SELECT COUNT(*) AS sets FROM set_figures
