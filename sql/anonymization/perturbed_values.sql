-- perturbed_values
-- Makes the table of the values that a column has after some cells were drawn anew, under their numbers.
--
-- definition: a value has its cells, less those that were drawn anew, and those that drew it
-- source: perturbation
-- missing: a number whose value no cell has any more
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter pick: expression, the number of the value that a record picks; missing where it picks none
-- parameter domain: column, the table of values, each with its number, its cells and those that are drawn anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH picked AS (
    SELECT {{ pick | expression }} AS number
    FROM {{ source | relation }} AS records
),
taken AS (
    SELECT
        number
        , COUNT(*) AS cells
    FROM picked
    WHERE number IS NOT NULL
    GROUP BY number
)
SELECT
    domain.number
    , CASE WHEN domain.cells - domain.changed + COALESCE(taken.cells, 0) > 0 THEN domain.value END AS value
FROM {{ domain | identifier }} AS domain
LEFT JOIN taken ON taken.number = domain.number
