-- contest_losses
-- The losses of a release of 2017 by the contest's measures: days, prices, records.
--
-- source: the judge program of PWS Cup 2017
-- runs: finish
--
-- parameter original: relation, the history
-- parameter release: relation, the release, record by record

-- name: date_loss
-- The distance in days between released and original records: E4 of the contest.
--
-- definition: the sum of |day - day'| over the records that are left, divided by the days of the longest period for
--   each record of the original, deleted ones among them
-- source: the judge program of PWS Cup 2017 (ut_date), for months of 31 days
-- missing: a day that one side alone lacks, and one that moved further than a period, counts as a whole period
--
-- takes: original, release
-- parameter days: integer, of the longest period
WITH moved AS (
    SELECT
        CASE
            WHEN original.day IS NULL AND release.day IS NULL THEN 0
            ELSE COALESCE(LEAST(ABS(DATE_DIFF('day', original.day, release.day)), {{ days }}), {{ days }})
        END AS days
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS release ON release.record = original.record
    WHERE release.pseudonym IS NOT NULL
)
SELECT COALESCE(
    CAST((SELECT SUM(days) FROM moved) AS DOUBLE)
        / NULLIF((SELECT {{ days }} * COUNT(*) FROM {{ original | relation }} AS original), 0), 0) AS loss

-- name: price_loss
-- The distance between released and original prices: E5 of the contest.
--
-- definition: the sum of 1 - min(p, p') / max(p, p') over the records that are left, divided by the records of the
--   original, deleted ones among them
-- source: the judge program of PWS Cup 2017 (ut_price)
-- missing: a price that one side alone lacks, or that is no number there, counts as lost, and so does a change of or to
--   a price that is not above 0
--
-- takes: original, release
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

-- name: deleted_rows
-- The share of records missing in a release: E6 of the contest.
--
-- definition: 1 - records that are left / records of the original, rounded to four decimals as there
-- source: the judge program of PWS Cup 2017 (nrow), which looks for a text in the line and not in its first column
-- missing: a record without a pseudonym is a deleted one
--
-- takes: original, release
SELECT COALESCE(ROUND(
    1 - CAST((SELECT COUNT(*) FROM {{ release | relation }} AS release WHERE release.pseudonym IS NOT NULL) AS DOUBLE)
        / NULLIF((SELECT COUNT(*) FROM {{ original | relation }} AS original), 0), 4), 0) AS loss
