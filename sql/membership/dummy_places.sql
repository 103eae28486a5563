-- dummy_places
-- The first dummy of each attribute, and how many it has.
--
-- portable: yes
--
-- parameter dummies: relation, the list of dummies
SELECT
    attribute
    , MIN(dummy) AS first
    , COUNT(*) AS dummies
FROM {{ dummies | relation }} AS dummies
GROUP BY attribute
ORDER BY attribute
