-- distribution
-- How many persons have which ease, and the value of what a leak of them tells.
--
-- definition: value = base * sensitivity * ease; JO's value = base * sensitivity * identifiability
-- portable: yes
--
-- parameter base: number, the value of the least sensitive record
SELECT
    ease,
    CAST(SUM(records) AS BIGINT) AS records,
    CAST(SUM(CAST(ease AS DECIMAL(18, 15)) * (records * sensitivity)) AS DOUBLE) * {{ base | literal }} AS value
FROM outcomes
GROUP BY ease
ORDER BY ease DESC NULLS LAST
