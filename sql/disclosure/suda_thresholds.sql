-- suda_thresholds
-- Counts who has at least some risks by data intrusion simulation.
--
-- portable: no
SELECT levels.risk, COUNT(persons.id) AS records
FROM (VALUES (CAST(0.01 AS DOUBLE)), (0.02), (0.05), (0.1), (0.2), (0.5)) AS levels (risk)
LEFT JOIN suda_persons AS persons ON persons.dis >= levels.risk
GROUP BY levels.risk
ORDER BY levels.risk
