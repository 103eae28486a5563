-- linked_targets
-- How many targets have a record of the release that is near by both halves of their attributes.
--
-- source: Anonymeter, linkability
-- portable: no
--
-- parameter targets: relation, the targets
-- parameter left: relation, the nearest by the one half
-- parameter right: relation, those by the other
SELECT
    targets.origin,
    COUNT(*) AS attacks,
    COUNT(CASE WHEN LIST_HAS_ANY(left_nearest.nearest, right_nearest.nearest) THEN 1 END) AS successes
FROM {{ targets | relation }} AS targets
JOIN {{ left | relation }} AS left_nearest ON left_nearest.target = targets.target
JOIN {{ right | relation }} AS right_nearest ON right_nearest.target = targets.target
GROUP BY targets.origin
ORDER BY targets.origin
