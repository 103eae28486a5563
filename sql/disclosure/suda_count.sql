-- suda_count
-- Counts the groups in large classes.
--
-- portable: no
SELECT COUNT(*) AS large FROM suda_places WHERE NOT alone AND NOT small
