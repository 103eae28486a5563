-- swapped_values
-- Makes the table of the values that records take over from one another.
--
-- definition: the records that take part stand in a circle in the order of a drawn number, and each takes the
--   value of the next; where there are periods each has a circle of its own
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values change places
-- parameter drawn: expression, whether a record takes part
-- parameter place: expression, the number that orders them
-- parameter period: expression or none, the period of a record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH taking_part AS (
    SELECT
        record
        , {{ column | identifier }} AS value
        , {{ place | expression }} AS place
        , {% if period is not none %}{{ period | expression }}{% else %}NULL{% endif %} AS period
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
)
SELECT
    record AS taker
    , COALESCE(LEAD(value) OVER (PARTITION BY period ORDER BY place), FIRST_VALUE(value) OVER (PARTITION BY period ORDER BY place)) AS value
FROM taking_part
