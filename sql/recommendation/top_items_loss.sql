-- top_items_loss
-- How many of the original's top items are not among those of a release.
--
-- definition: |U - U'| / k, with U and U' the k items that most users have
-- source: PWS Cup 2017, ut-topk
-- missing: where the original has fewer than k items the rest is not lost; items that it has not can be among U'
-- portable: no
--
-- parameter original: column, the table of the original's top items
-- parameter release: relation, the query of the top items of the release
-- parameter k: integer, how many are the top
WITH original AS (
    SELECT item FROM {{ original | identifier }}
),
release AS (
    SELECT item FROM ({{ release | relation }}) AS top
)
SELECT
    COUNT(original.item) - COUNT(release.item) AS missing,
    COUNT(original.item) AS items,
    CAST(COUNT(original.item) - COUNT(release.item) AS DOUBLE) / {{ k | literal }} AS loss
FROM original
LEFT JOIN release ON release.item = original.item
