-- empirical_values
-- Makes the table of the values that are picked from the cells of a column, each cell as likely as another.
--
-- definition: the cells in the order of their values are numbered from 0; a pick is such a number, which so many
--   records may make
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose cells
-- parameter pick: expression, the number that a record picks, missing where it picks none
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
    SELECT
        {{ column | identifier }} AS value
        , COUNT(*) AS cells
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY {{ column | identifier }}
),
placed AS (
    SELECT
        value
        , CAST(SUM(cells) OVER (ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) - cells AS start
    FROM counted
),
drawn AS (
    SELECT {{ pick | expression }} AS number
    FROM {{ source | relation }} AS records
),
picked AS (
    SELECT
        number
        , COUNT(*) AS changed
    FROM drawn
    WHERE number IS NOT NULL
    GROUP BY number
)
SELECT
    picked.number
    , placed.value
    , picked.changed
FROM picked
ASOF JOIN placed ON picked.number >= placed.start
