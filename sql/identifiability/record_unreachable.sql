-- record_unreachable
-- Books those for whom no set without an attribute was found.
--
-- portable: no
INSERT INTO without_attribute BY NAME
SELECT position, NULL AS tier, missing, COUNT(*) AS records
FROM open_persons
JOIN searched_attributes ON (needed & bit) <> 0
GROUP BY position, missing
