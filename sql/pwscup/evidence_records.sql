-- evidence_records
-- The cells of records as an attacker compares them: exactly, and by two grids of which one is shifted by half a step.
--
-- definition: a day falls into a week, a price and a quantity into a step of a quarter and of a half of their natural
--   logarithm; a price is the number that is written, where it is one
-- missing: what is missing agrees with nothing
-- portable: no
--
-- parameter table: column, the table that is made
-- parameter source: relation, the records
-- parameter person: column, of who they are said to be of
-- parameter numbers: column, the numbers of these: of pseudonyms for a period each
-- parameter periodic: integer, 1 where numbers are of pseudonyms
-- parameter prefix: integer or none, how many first characters of an item count
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        records.record
        , numbers.number AS person
        , records.period
        , records.day
        , COALESCE(CAST(TRY_CAST(records.clock AS TIME) AS VARCHAR), records.clock) AS clock
        , {% if prefix is none %}records.item{% else %}LEFT(records.item, {{ prefix }}){% endif %} AS item
        , COALESCE(CAST(TRY_CAST(records.price AS DECIMAL(18, 4)) AS VARCHAR), records.price) AS price
        , records.quantity
        , DATE_DIFF('day', DATE '2000-01-03', records.day) / 7 AS weeks
        , CASE WHEN TRY_CAST(records.price AS DOUBLE) > 0 THEN LN(TRY_CAST(records.price AS DOUBLE)) / 0.25 END AS price_steps
        , CASE WHEN records.quantity > 0 THEN LN(records.quantity) / 0.5 END AS quantity_steps
    FROM {{ source | relation }} AS records
    JOIN {{ numbers | identifier }} AS numbers
        ON numbers.{{ person | identifier }} = records.{{ person | identifier }}{% if periodic %} AND numbers.period = records.period{% endif %}

    WHERE records.period IS NOT NULL
)
SELECT
    record
    , person
    , period
    , day
    , clock
    , item
    , price
    , quantity
{% for shift in (0, 1) %}
    , CAST(FLOOR(weeks + {{ shift }} / 2) AS BIGINT) AS day{{ shift }}
    , CAST(FLOOR(price_steps + {{ shift }} / 2) AS BIGINT) AS price{{ shift }}
    , CAST(FLOOR(quantity_steps + {{ shift }} / 2) AS BIGINT) AS quantity{{ shift }}
{% endfor %}
FROM records
