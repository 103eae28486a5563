-- perturbed_values
-- Makes the table of the values that a column has after some cells were drawn anew.
--
-- definition: a value has its cells, less those that were drawn anew, and those that drew it
-- source: perturbation
-- missing: a missing cell is never drawn anew
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, of cells
-- parameter pick: expression, the number of the value that a record picks; missing where it picks none
-- parameter domain: column, the table of values, each with its number and its cells
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH drawn AS (
    SELECT
        {{ column | identifier }} AS value
        , {{ pick | expression }} AS number
    FROM {{ source | relation }} AS records
),
counted AS (
    SELECT
        value
        , number
        , GROUPING(number) AS lost
        , COUNT(*) AS cells
    FROM drawn
    WHERE number IS NOT NULL
    GROUP BY GROUPING SETS ((value), (number))
)
SELECT
    CASE WHEN domain.cells - COALESCE(given.cells, 0) + COALESCE(taken.cells, 0) > 0 THEN domain.value END AS value
    , COALESCE(given.cells, 0) AS changed
FROM {{ domain | identifier }} AS domain
LEFT JOIN counted AS given ON given.lost = 1 AND given.value = domain.value
LEFT JOIN counted AS taken ON taken.lost = 0 AND taken.number = domain.number
