-- standard_history
-- The standard table of a history: its complete records with their periods.
--
-- definition: a record is its place in the file from 1; a period is its place in the order of time from 0
-- missing: records without user, date or item are left out; other cells that are empty are missing
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records as they are written
-- parameter unit: text, one of day, week, month, quarter
-- parameter first: text, the day that the first period begins with
-- parameter prefix: integer or none, so many first characters of items are kept
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , person AS user_id
    , CAST(DATE_DIFF({{ unit | literal }}, CAST({{ first | literal }} AS DATE), DATE_TRUNC({{ unit | literal }}, day)) AS INTEGER) AS period
    , day
    , NULLIF(clock, '') AS clock
    , NULLIF(invoice, '') AS invoice
    , {% if prefix is not none %}LEFT(item, {{ prefix }}){% else %}item{% endif %} AS item
    , NULLIF(price, '') AS price
    , CAST(ROUND(TRY_CAST(quantity AS DECIMAL(27, 9))) AS BIGINT) AS quantity
FROM {{ source | relation }} AS records
WHERE NOT deleted AND person IS NOT NULL AND day IS NOT NULL AND item IS NOT NULL
ORDER BY record
