-- deleted_rows
-- Which part of the records a release lacks: E6 of the contest.
--
-- definition: 1 - records that are left / records of the original, rounded to four decimals as there
-- source: the judge program of PWS Cup 2017 (nrow), which looks for a text in the line and not in its first column
-- missing: a record without a pseudonym is a deleted one
-- portable: yes
--
-- parameter original: relation, the history
-- parameter release: relation, the release, record by record
SELECT COALESCE(ROUND(
    1 - CAST((SELECT COUNT(*) FROM {{ release | relation }} AS release WHERE release.pseudonym IS NOT NULL) AS DOUBLE)
        / NULLIF((SELECT COUNT(*) FROM {{ original | relation }} AS original), 0), 4), 0) AS loss
