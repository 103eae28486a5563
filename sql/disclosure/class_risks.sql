-- class_risks
-- Keeps the individual risks of the pairs of sizes.
--
-- portable: no
--
-- parameter risks: relation, as individual_risk gives them
CREATE OR REPLACE TEMP TABLE class_risks AS
SELECT class_size, population_size, records, risk, exact_risk
FROM {{ risks | relation }}
WHERE records > 0
