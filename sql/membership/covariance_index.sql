-- covariance_index
-- How like the covariances of dummies in a release are to those of the original: U_VCM.
--
-- definition: 1 / the largest, over the dummies, of the sum of the absolute differences of its covariances with all dummies
-- source: PWS Cup 2020, preliminary round, equation 2 as corrected
-- missing: no value (NULL) where nothing differs: the index is infinite
-- read: largest_sum, and the dummy it is of, the first of equals
-- portable: no
--
-- parameter original: relation, the covariances of the original
-- parameter release: relation, those of the release
-- parameter dummies: relation, all dummies
WITH differences AS (
    SELECT original.dummy, original.other, ABS(release.covariance - original.covariance) AS difference
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS release
        ON release.dummy = original.dummy AND release.other = original.other
),
sides AS (
    SELECT dummy, difference FROM differences
    UNION ALL
    SELECT other AS dummy, difference FROM differences WHERE other <> dummy
),
sums AS (
    SELECT dummy, SUM(difference ORDER BY difference) AS total
    FROM sides
    GROUP BY dummy
),
ranked AS (
    SELECT dummy, total, ROW_NUMBER() OVER (ORDER BY total DESC, dummy) AS place
    FROM sums
)
SELECT 1 / NULLIF(ranked.total, 0) AS value, ranked.total AS largest_sum, dummies.attribute, dummies.value AS category
FROM ranked
JOIN {{ dummies | relation }} AS dummies ON dummies.dummy = ranked.dummy
WHERE ranked.place = 1
