-- suda_records
-- Who has the highest scores, with their smallest minimal uniques.
--
-- portable: no
--
-- parameter most: integer, list so many at most
-- parameter sets: integer, minimal uniques of each at most
-- parameter divisor: integer, a score here is so many times what it is
WITH listed AS (
    SELECT id, score, dis, member
    FROM suda_persons
    ORDER BY score DESC, id
    LIMIT {{ most | literal }}
),
uniques AS (
    SELECT
        listed.member,
        COUNT(*) AS minimal_uniques,
        LIST(uniques.mask ORDER BY BIT_COUNT(uniques.mask), uniques.mask) AS masks
    FROM listed
    JOIN suda_uniques AS uniques ON uniques.member = listed.member
    GROUP BY listed.member
)
SELECT
    listed.id AS record,
    {% if divisor > 1 %}CAST(listed.score AS DOUBLE) / {{ divisor }} AS score{% else %}listed.score{% endif %},
    listed.dis,
    uniques.minimal_uniques,
    uniques.masks[:{{ sets }}] AS masks,
    LEN(list_filter(uniques.masks[{{ sets + 1 }}:], lambda mask: BIT_COUNT(mask) = BIT_COUNT(uniques.masks[{{ sets }}]))) AS equal_to_last,
    (SELECT COUNT(*) FROM suda_persons) AS total,
    (SELECT COUNT(*) FROM suda_persons WHERE suda_persons.score >= (SELECT MIN(listed.score) FROM listed)) AS reached
FROM listed
JOIN uniques ON uniques.member = listed.member
ORDER BY listed.score DESC, listed.id
