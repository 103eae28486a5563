-- domain_values
-- Makes the table of the different values of a column, numbered from 0.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH domain AS (
    SELECT
        {{ column | identifier }} AS value
        , COUNT(*) AS cells
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY {{ column | identifier }}
)
SELECT
    ROW_NUMBER() OVER (ORDER BY value) - 1 AS number
    , value
    , cells
FROM domain
