-- price_loss
-- How far a release changed the prices of records: E5 of the contest.
--
-- definition: the sum of 1 - min(p, p') / max(p, p') over the records that are left, divided by the records of the
--   original, deleted ones among them
-- source: the judge program of PWS Cup 2017 (ut_price)
-- missing: a price that one side alone lacks, or that is no number there, counts as lost, and so does a change of or to
--   a price that is not above 0
-- portable: no
--
-- parameter original: relation, the history
-- parameter release: relation, the release, record by record
WITH prices AS (
    SELECT
        TRY_CAST(original.price AS DOUBLE) AS p,
        TRY_CAST(release.price AS DOUBLE) AS q
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS release ON release.record = original.record
    WHERE release.pseudonym IS NOT NULL
        AND (original.price IS DISTINCT FROM release.price)
),
changes AS (
    SELECT
        CASE
            WHEN p = q THEN 0
            WHEN p > 0 AND q > 0 AND isfinite(p) AND isfinite(q) THEN 1 - LEAST(p, q) / GREATEST(p, q)
            ELSE 1
        END AS change
    FROM prices
)
SELECT COALESCE(
    CAST((SELECT SUM(CAST(change AS DECIMAL(38, 18))) FROM changes) AS DOUBLE)
        / NULLIF((SELECT COUNT(*) FROM {{ original | relation }} AS original), 0), 0) AS loss
