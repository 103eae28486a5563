-- set_left
-- Counts the groups whose classes differ from set to set.
--
-- portable: no
SELECT COUNT(*) AS groups FROM set_places WHERE NOT alone
