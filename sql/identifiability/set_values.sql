-- set_values
-- The attribute sets by the value of those whom they single out most easily, one line for each ease.
--
-- definition: a set has one ease by Yamaoka and Itoh; JO's identifiability of 3 or 6 stands in a line of its own, so
--   that the ease of a line is that of each of its records
-- portable: yes
--
-- parameter base: number, the value of the least sensitive record
-- parameter most: integer, list so many sets at most
WITH valued AS (
    SELECT
        first_mask AS mask,
        outcomes.ease,
        CAST(SUM(records) AS BIGINT) AS records,
        CAST(SUM(CAST(outcomes.ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE) * {{ base | literal }} AS value
    FROM outcomes
    WHERE outcomes.ease > 0
    GROUP BY first_mask, outcomes.ease
)
SELECT
    mask,
    ease,
    records,
    value,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY value DESC, ease DESC) AS reached
FROM valued
ORDER BY value DESC, ease DESC, mask
LIMIT {{ most | literal }}
