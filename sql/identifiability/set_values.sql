-- set_values
-- The attribute sets by the value of those whom they single out most easily.
--
-- portable: yes
--
-- parameter base: number, the value of the least sensitive record
-- parameter most: integer, list so many sets at most
SELECT
    first_mask AS mask,
    MAX(outcomes.ease) AS ease,
    CAST(SUM(records) AS BIGINT) AS records,
    CAST(SUM(CAST(outcomes.ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE) * {{ base | literal }} AS value
FROM outcomes
WHERE outcomes.ease > 0
GROUP BY first_mask
ORDER BY value DESC, MAX(outcomes.ease) DESC, mask
LIMIT {{ most | literal }}
