-- suda_sets
-- The attribute sets with most minimal uniques.
--
-- portable: no
--
-- parameter most: integer, list so many at most
SELECT
    uniques.mask,
    BIT_COUNT(uniques.mask) AS size,
    COUNT(*) AS minimal_uniques,
    COUNT(DISTINCT rows.id) AS persons
FROM suda_uniques AS uniques
JOIN lattice_rows AS rows ON rows.member = uniques.member
GROUP BY uniques.mask
ORDER BY minimal_uniques DESC, size, uniques.mask
LIMIT {{ most | literal }}
