-- attribute_parts
-- In how many persons' easiest sets each attribute is.
--
-- portable: yes
SELECT
    position,
    CAST(COALESCE(SUM(CASE WHEN outcomes.ease > 0 AND (any_mask & bit) <> 0 THEN records END), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(CASE WHEN outcomes.ease > 0 AND (any_mask & bit) <> 0 THEN records END), 0) AS DOUBLE)
        / NULLIF(SUM(CASE WHEN outcomes.ease > 0 THEN records END), 0) AS share
FROM searched_attributes
CROSS JOIN outcomes
GROUP BY position
ORDER BY position
