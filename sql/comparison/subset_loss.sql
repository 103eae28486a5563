-- subset_loss
-- How far the means of the categories of a release are from those of the original.
--
-- definition: the mean over the categories g of |mean of g before - after| / max(|before|, |after|); 1 for a category
--   that no record may be in any more
-- source: our own; the contests of PWS Cup use the case without a formula
-- portable: yes
--
-- parameter original: column, the means of the original
-- parameter release: column, the means of the release
WITH compared AS (
    SELECT
        original.total / original.weight AS before,
        release.total / release.weight AS after
    FROM {{ original | identifier }} AS original
    LEFT JOIN {{ release | identifier }} AS release ON release.code = original.code
)
SELECT
    COUNT(*) AS categories,
    CAST(SUM(CAST(
        CASE
            WHEN after IS NULL THEN 1
            WHEN before = after THEN 0
            ELSE ABS(before - after) / GREATEST(ABS(before), ABS(after))
        END AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(*), 0) AS loss
FROM compared
