-- domain_values
-- Makes the table of the different values of a column, numbered from 0, with the cells that are drawn anew.
--
-- missing: a missing cell has no value and is never drawn anew
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values
-- parameter drawn: expression, whether the cell of a record is drawn anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH domain AS (
    SELECT
        {{ column | identifier }} AS value
        , COUNT(*) AS cells
        , COUNT(CASE WHEN {{ drawn | expression }} THEN 1 END) AS changed
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY {{ column | identifier }}
)
SELECT
    ROW_NUMBER() OVER (ORDER BY value) - 1 AS number
    , value
    , cells
    , changed
FROM domain
