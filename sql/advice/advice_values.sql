-- advice_values
-- Numbers the different values of a column, from 1 on; a missing value is one of them.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter attribute: attribute, the column as it is
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ attribute | value }} AS value FROM {{ source | relation }}
)
SELECT value, CAST(ROW_NUMBER() OVER () AS INTEGER) AS code
FROM (SELECT DISTINCT value FROM records) AS different
