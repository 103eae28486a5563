-- domain_count_batch
-- How many nodes are to be examined.
--
-- portable: yes
SELECT COUNT(*) AS nodes
FROM quasi_batch
