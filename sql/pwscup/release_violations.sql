-- release_violations
-- What of a release does not go with its original, a row for each record.
--
-- definition: deleted records with cells left; fewer than half of the records survive; another number of records;
--   records of another period than those of the original; items that the original has not; pseudonyms that are users
--   of the original; a user whose pseudonym differs, within a period, from the one of their first record in it
-- source: the check of the contest of 2017
-- missing: deleted records are not looked at; what the original misses asks nothing of the release
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the release as it is written
-- parameter original: relation, the original as a standard history
-- parameter users: relation, the users
-- parameter records: integer, as many the file of the original has
-- parameter unit: text, one of day, week, month, quarter
INSERT INTO {{ name | identifier }}
WITH originals AS (
    SELECT record, user_id, period, day FROM {{ original | relation }} AS original
),
rows AS (
    SELECT record, deleted, partly, person, day, moment, item FROM {{ source | relation }} AS released
),
kept AS (
    SELECT
        rows.record
        , rows.person
        , rows.moment
        , rows.item
        , originals.user_id
        , originals.period
        , DATE_TRUNC({{ unit | literal }}, rows.day) IS DISTINCT FROM DATE_TRUNC({{ unit | literal }}, originals.day) AND (rows.day IS NOT NULL OR rows.moment IS NULL) AS moved
    FROM rows
    JOIN originals ON originals.record = rows.record
    WHERE NOT rows.deleted
),
items AS (
    SELECT DISTINCT item FROM {{ original | relation }} AS original
),
firsts AS (
    SELECT user_id, period, MIN(record) AS record
    FROM kept
    GROUP BY user_id, period
),
pseudonyms AS (
    SELECT firsts.user_id, firsts.period, kept.person
    FROM firsts
    JOIN kept ON kept.record = firsts.record
)
SELECT 'survivors' AS violated, NULL AS record, CAST(COUNT(kept.record) AS VARCHAR) AS value
FROM originals
LEFT JOIN kept ON kept.record = originals.record
HAVING COUNT(kept.record) < FLOOR(COUNT(originals.record) / 2.0)
UNION ALL
SELECT 'deleted', rows.record, NULL
FROM rows
JOIN originals ON originals.record = rows.record
WHERE rows.partly
UNION ALL
SELECT 'records', record, NULL FROM rows WHERE record > {{ records }}
UNION ALL
SELECT 'records', originals.record, NULL
FROM originals
LEFT JOIN rows ON rows.record = originals.record
WHERE rows.record IS NULL
UNION ALL
SELECT 'period', record, moment FROM kept WHERE moved
UNION ALL
SELECT 'item', kept.record, kept.item
FROM kept
LEFT JOIN items ON items.item = kept.item
WHERE items.item IS NULL
UNION ALL
SELECT 'customer', kept.record, kept.person
FROM kept
JOIN {{ users | relation }} AS users ON users.user_id = kept.person
UNION ALL
SELECT 'one_pseudonym', kept.record, kept.person
FROM kept
JOIN pseudonyms ON pseudonyms.user_id = kept.user_id AND pseudonyms.period = kept.period
WHERE pseudonyms.person IS DISTINCT FROM kept.person
