-- partial_violations
-- What of a partial table does not go with the original, a row for each record.
--
-- definition: another number of records; users that are none of the original; in files of the contest, records of another
--   user or day than those in their place
-- missing: deleted records are not looked at
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the partial table as it is written
-- parameter original: relation, the original as a standard history
-- parameter users: relation, the users
-- parameter records: integer, as many the file of the original has
-- parameter aligned: integer, 1 where records have the places of those of the original
INSERT INTO {{ name | identifier }}
WITH rows AS (
    SELECT record, deleted, person, day FROM {{ source | relation }} AS partial
)
SELECT 'unknown' AS violated, rows.record, rows.person AS value
FROM rows
LEFT JOIN {{ users | relation }} AS users ON users.user_id = rows.person
WHERE NOT rows.deleted AND users.user_id IS NULL
{% if aligned %}
UNION ALL
SELECT 'records', record, NULL FROM rows WHERE record > {{ records }}
UNION ALL
SELECT 'records', original.record, NULL
FROM {{ original | relation }} AS original
LEFT JOIN rows ON rows.record = original.record
WHERE rows.record IS NULL
UNION ALL
SELECT 'place', rows.record, rows.person
FROM rows
JOIN {{ original | relation }} AS original ON original.record = rows.record
WHERE NOT rows.deleted AND (original.user_id IS DISTINCT FROM rows.person OR original.day IS DISTINCT FROM rows.day)
{% endif %}
