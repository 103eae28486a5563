-- individual_totals
-- The individual risks of all records together.
--
-- portable: yes
SELECT
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    MAX(risk) AS highest_risk,
    CAST(SUM(CAST(records * risk AS DECIMAL(38, 15))) AS DOUBLE) / CAST(SUM(records) AS DOUBLE) AS average_risk,
    CAST(SUM(CAST(records * risk AS DECIMAL(38, 15))) AS DOUBLE) AS expected_found,
    MAX(exact_risk) AS highest_exact_risk,
    CAST(SUM(CAST(records * exact_risk AS DECIMAL(38, 15))) AS DOUBLE) / CAST(SUM(records) AS DOUBLE) AS average_exact_risk
FROM class_risks
