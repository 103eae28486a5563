-- first_rules
-- The strongest rules of an original, those of two items and those of three, and what a release makes of them.
--
-- missing: a rule that the release has not has no confidence there
-- portable: yes
--
-- parameter original: relation, the rules of the original
-- parameter release: relation, the rules of the release
-- parameter most: integer, so many of each size
WITH ranked AS (
    SELECT
        first,
        second,
        then_item,
        support,
        confidence,
        ROW_NUMBER() OVER (
            PARTITION BY CASE WHEN second IS NULL THEN 0 ELSE 1 END
            ORDER BY confidence DESC, support DESC, first, second, then_item
        ) AS place,
        COUNT(*) OVER (PARTITION BY CASE WHEN second IS NULL THEN 0 ELSE 1 END) AS total,
        COUNT(*) OVER (
            PARTITION BY CASE WHEN second IS NULL THEN 0 ELSE 1 END
            ORDER BY confidence DESC, support DESC
        ) AS reached
    FROM {{ original | relation }}
)
SELECT
    ranked.first,
    ranked.second,
    ranked.then_item,
    ranked.support,
    ranked.confidence,
    released.confidence AS released_confidence,
    ranked.total,
    ranked.reached
FROM ranked
LEFT JOIN {{ release | relation }} AS released
    ON released.first = ranked.first
    AND COALESCE(released.second, '') = COALESCE(ranked.second, '')
    AND CASE WHEN released.second IS NULL THEN 0 ELSE 1 END = CASE WHEN ranked.second IS NULL THEN 0 ELSE 1 END
    AND released.then_item = ranked.then_item
WHERE ranked.place <= {{ most | literal }}
ORDER BY CASE WHEN ranked.second IS NULL THEN 0 ELSE 1 END, ranked.place
