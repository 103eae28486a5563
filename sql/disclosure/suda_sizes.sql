-- suda_sizes
-- Counts the minimal uniques of each size, and who has one.
--
-- portable: no
SELECT
    BIT_COUNT(uniques.mask) AS size,
    COUNT(*) AS minimal_uniques,
    COUNT(DISTINCT rows.id) AS persons
FROM suda_uniques AS uniques
JOIN lattice_rows AS rows ON rows.member = uniques.member
GROUP BY size
ORDER BY size
