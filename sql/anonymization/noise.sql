-- noise
-- Redraws values of a column: from its distinct values, from other records, or by swapping them.
--
-- idea: which record draws is said by a keyed hash of its number, so a run can be repeated and nobody without the key
--   can.
-- source: random replacement (PRAM), sampling and swapping
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records

-- name: domain_values
-- Creates the table of the distinct values of a column, numbered from 0, with the number of values to redraw.
--
-- missing: a missing cell has no value and is never drawn anew
--
-- takes: name, source
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

-- name: empirical_values
-- Creates the table of values drawn from a column, each record equally likely.
--
-- definition: the values in their order are numbered from 0; a pick is such a number, with the number of records that
--   may pick it
--
-- takes: name, source
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
        , CAST(SUM(cells) OVER (ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT)
            - cells AS start
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

-- name: perturbed_values
-- Creates the table of the values of a column after some were redrawn, by their numbers.
--
-- definition: a value has its cells, less those that were drawn anew, and those that drew it
-- source: perturbation
-- missing: a number whose value no cell has any more
--
-- takes: name, source
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
    GROUP BY number
)
SELECT
    domain.number
    , CASE WHEN domain.cells - domain.changed + COALESCE(taken.cells, 0) > 0 THEN domain.value END AS value
FROM {{ domain | identifier }} AS domain
LEFT JOIN taken ON taken.number = domain.number

-- name: count_drawn_out
-- Counts the values whose every occurrence is redrawn.
--
-- definition: unless a cell draws them, nothing of them is left
-- source: perturbation
--
-- parameter domain: relation, the values, each with its cells and those that are drawn anew
SELECT COUNT(*) AS found
FROM {{ domain | relation }} AS domain
WHERE changed = cells

-- name: swapped_values
-- Creates the table of the values that records exchange.
--
-- definition: the participating records form a circle in the order of a random number, and each takes the value of
--   the next; each period has a circle of its own
--
-- takes: name, source
-- parameter column: column, the values to exchange
-- parameter drawn: expression, whether a record takes part
-- parameter random_key: expression, the random number of a record
-- parameter period: expression or none, the period of a record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH taking_part AS (
    SELECT
        record
        , {{ column | identifier }} AS value
        , {{ random_key | expression }} AS place
        , {% if period is not none %}{{ period | expression }}{% else %}NULL{% endif %} AS period
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL AND {{ drawn | expression }}
)
SELECT
    record AS taker
    , COALESCE(LEAD(value) OVER (PARTITION BY period ORDER BY place),
        FIRST_VALUE(value) OVER (PARTITION BY period ORDER BY place)) AS value
FROM taking_part

-- name: drawn_limit
-- The random number up to which the wanted number of records is kept.
--
-- runs: wide
--
-- takes: source
-- parameter drawn: expression, the drawn number of a record
-- parameter max_records: integer, number of records to keep
SELECT CAST(MAX(drawn) AS VARCHAR) AS drawn
FROM (
    SELECT {{ drawn | expression }} AS drawn
    FROM {{ source | relation }} AS records
    ORDER BY drawn
    LIMIT {{ max_records | literal }}
) AS smallest

-- name: records_above
-- Creates the table of the records beyond the first drawn ones of each user.
--
-- missing: records without a user are those of one user
--
-- takes: name, source
-- parameter user: column, the user of a record
-- parameter drawn: expression, the drawn number of a record
-- parameter most: integer, number of records of a user that stay
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT record
FROM (
    SELECT record, {{ user | identifier }} AS person, {{ drawn | expression }} AS drawn
    FROM {{ source | relation }} AS records
) AS placed
QUALIFY ROW_NUMBER() OVER (PARTITION BY person ORDER BY drawn, record) > {{ most | literal }}
