-- suda_sets
-- The attribute sets with most minimal uniques, small ones first.
--
-- portable: no
--
-- parameter most: integer, list so many at most
WITH counted AS (
    SELECT
        uniques.mask,
        BIT_COUNT(uniques.mask) AS size,
        COUNT(*) AS minimal_uniques,
        COUNT(DISTINCT rows.id) AS persons
    FROM suda_uniques AS uniques
    JOIN lattice_rows AS rows ON rows.member = uniques.member
    GROUP BY uniques.mask
)
SELECT
    *,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY minimal_uniques DESC, size) AS reached
FROM counted
ORDER BY minimal_uniques DESC, size, mask
LIMIT {{ most | literal }}
