-- mondrian_cuts
-- Where each group can be cut at the median of a quasi-identifier, so that both sides keep at least k records.
--
-- definition: the median is the least value that at least half of the records do not exceed; they go to the left
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006 (strict)
-- portable: no
--
-- parameter attribute: integer, which quasi-identifier
-- parameter k: integer, the least records of a class
INSERT INTO quasi_cuts
WITH counted AS (
    SELECT part, x{{ attribute }} AS code, SUM(n) AS n
    FROM quasi_open
    GROUP BY part, x{{ attribute }}

),
summed AS (
    SELECT
        part,
        code,
        SUM(n) OVER (PARTITION BY part ORDER BY code) AS below,
        SUM(n) OVER (PARTITION BY part) AS records
    FROM counted
)
SELECT part, {{ attribute }}, MIN(code), CAST(MIN(below) AS BIGINT), CAST(MIN(records) AS BIGINT)
FROM summed
WHERE below * 2 >= records
GROUP BY part
HAVING MIN(below) >= {{ k }} AND MIN(records) - MIN(below) >= {{ k }}
