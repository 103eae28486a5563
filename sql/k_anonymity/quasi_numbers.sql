-- quasi_numbers
-- Numbers the different values of a quasi-identifier of numbers in their order, and places them from 0 to 1.
--
-- definition: place = (value - least) / (most - least); what is no finite number, a missing value among it, stands
--   at least 1 away from everything else
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
-- missing: a missing value is a value of its own, number 0
-- portable: no
--
-- parameter source: relation, the records
-- parameter column: column, the quasi-identifier
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value FROM {{ source | relation }}
),
different AS (
    SELECT value, MIN(CAST(value AS VARCHAR)) AS label0, CAST(value AS DOUBLE) AS number
    FROM records
    WHERE value IS NOT NULL
    GROUP BY value
),
bounds AS (
    SELECT MIN(number) AS least, MAX(number) AS most FROM different WHERE ISFINITE(number)
)
SELECT
    value,
    label0,
    CAST(ROW_NUMBER() OVER (ORDER BY value) AS INTEGER) AS code,
    CASE
        WHEN ISNAN(number) THEN 3
        WHEN ISINF(number) THEN CASE WHEN number > 0 THEN 2 ELSE -2 END
        WHEN most = least THEN 0
        -- the difference of two huge numbers can be none
        WHEN ISFINITE(most - least) THEN (number - least) / (most - least)
        ELSE (number / 2 - least / 2) / (most / 2 - least / 2)
    END AS place
FROM different, bounds
UNION ALL
SELECT NULL, NULL, 0, -1
