-- date_loss
-- How far a release moved the days of records: E4 of the contest.
--
-- definition: the sum of |day - day'| over the records that are left, divided by the days of the longest period for
--   each record of the original, deleted ones among them
-- source: the judge program of PWS Cup 2017 (ut_date), for months of 31 days
-- missing: a day that one side alone lacks, and one that moved further than a period, counts as a whole period
-- portable: no
--
-- parameter original: relation, the history
-- parameter release: relation, the release, record by record
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
