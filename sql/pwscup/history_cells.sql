-- history_cells
-- The records of any history, by what its columns are for, as texts.
--
-- definition: a record is deleted where it has no user, or the user DEL, and partly so where another cell is left
-- missing: an empty text is missing; where there is no quantity each record is of one piece
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records in their order
-- parameter user: column, the users or pseudonyms
-- parameter moment: column, a date, a moment, or a text of one
-- parameter clock: column or none, the time of day
-- parameter has_clock: integer, 1 where moments have a time of day
-- parameter item: column, the items
-- parameter price: column or none, the prices
-- parameter is_number: integer, 1 where prices are numbers: 1.5 and 1.50 are one then
-- parameter quantity: column or none, the quantities
-- parameter invoice: column or none, the purchases
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH records AS (
    SELECT
        ROW_NUMBER() OVER () AS record
        , NULLIF(CAST({{ user | identifier }} AS VARCHAR), '') AS person
        , {% if invoice is not none %}NULLIF(CAST({{ invoice | identifier }} AS VARCHAR), ''){% else %}CAST(NULL AS VARCHAR){% endif %} AS invoice
        , NULLIF(CAST({{ moment | identifier }} AS VARCHAR), '') AS moment
        , {% if clock is not none %}NULLIF(CAST({{ clock | identifier }} AS VARCHAR), ''){% else %}CAST(NULL AS VARCHAR){% endif %} AS clock
        , NULLIF(CAST({{ item | identifier }} AS VARCHAR), '') AS item
        , {% if price is none %}CAST(NULL AS VARCHAR){% elif is_number %}CAST(CAST({{ price | identifier }} AS DOUBLE) AS VARCHAR){% else %}NULLIF(CAST({{ price | identifier }} AS VARCHAR), ''){% endif %} AS price
        , {% if quantity is not none %}NULLIF(CAST({{ quantity | identifier }} AS VARCHAR), ''){% else %}'1'{% endif %} AS quantity
    FROM {{ source | relation }} AS source
),
told AS (
    SELECT
        *
        , person IS NULL OR person = 'DEL' AS deleted
        , COALESCE(TRY_CAST(moment AS TIMESTAMP), TRY_STRPTIME(moment, '%Y/%m/%d'), TRY_STRPTIME(moment, '%Y/%m/%d %H:%M')) AS exactly
    FROM records
)
SELECT
    record
    , CAST(NULL AS INTEGER) AS fields
    , deleted
    , deleted AND CONCAT(moment, item, clock, price, invoice{% if quantity is not none %}, quantity{% endif %}) <> '' AS partly
    , CASE WHEN NOT deleted THEN person END AS person
    , CASE WHEN NOT deleted THEN invoice END AS invoice
    , CASE WHEN NOT deleted THEN moment END AS moment
    , CASE WHEN NOT deleted THEN CAST(exactly AS DATE) END AS day
    , CASE WHEN NOT deleted THEN {% if has_clock %}COALESCE(clock, CAST(CAST(exactly AS TIME) AS VARCHAR)){% else %}clock{% endif %} END AS clock
    , CASE WHEN NOT deleted THEN item END AS item
    , CASE WHEN NOT deleted THEN price END AS price
    , CASE WHEN NOT deleted THEN quantity END AS quantity
FROM told
ORDER BY record
