-- unreachable
-- Books those whom nothing singles out without an attribute.
--
-- portable: no
INSERT INTO without_attribute BY NAME
SELECT position, NULL AS tier, missing, COUNT(*) AS records
FROM open_persons
JOIN searched_attributes ON (needed & required & bit) <> 0
GROUP BY position, missing
