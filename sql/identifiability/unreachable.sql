-- unreachable
-- Books those whom nothing singles out without an attribute.
--
-- portable: no
INSERT INTO without_attribute
SELECT position, NULL, missing, COUNT(*)
FROM reachable
JOIN searched_attributes ON (needed & ~reached & bit) <> 0
GROUP BY position, missing
