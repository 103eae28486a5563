-- correlation_index
-- How like the correlations of dummies in a release are to those of the original: U_cor.
--
-- definition: 1 - the largest absolute difference of the correlation of two dummies; mean_value has the mean in its place
-- source: PWS Cup 2020, final round: every two attributes within ten points
-- missing: a correlation with a dummy that is the same in all records is 0; 1 where there is but one dummy
-- read: difference, and the first of the pairs that have it
-- portable: no
--
-- parameter original: relation, the correlations of the original
-- parameter release: relation, those of the release
-- parameter dummies: relation, all dummies
WITH differences AS (
    SELECT original.dummy, original.other, ABS(release.correlation - original.correlation) AS difference
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS release
        ON release.dummy = original.dummy AND release.other = original.other
    WHERE original.dummy < original.other
),
ranked AS (
    SELECT dummy, other, difference, ROW_NUMBER() OVER (ORDER BY difference DESC, dummy, other) AS place
    FROM differences
),
totals AS (
    SELECT
        COALESCE(MAX(difference), 0) AS difference,
        COALESCE(CAST(SUM(CAST(difference AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0) AS mean
    FROM differences
)
SELECT
    1 - totals.difference AS value,
    1 - totals.mean AS mean_value,
    totals.difference,
    first.attribute AS first_attribute,
    first.value AS first_category,
    second.attribute AS second_attribute,
    second.value AS second_category
FROM totals
LEFT JOIN ranked ON ranked.place = 1
LEFT JOIN {{ dummies | relation }} AS first ON first.dummy = ranked.dummy
LEFT JOIN {{ dummies | relation }} AS second ON second.dummy = ranked.other
