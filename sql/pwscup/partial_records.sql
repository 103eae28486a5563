-- partial_records
-- Makes the records of the original that an attacker holds.
--
-- definition: alpha percent of the records, rounded half up: those first in the order of the MD5 sum of the seed, alpha and
--   their number; items are cut to their first characters
-- source: the partial tables of the contest of 2017, drawn in an order that can be repeated
-- missing: every record of the original is complete
-- portable: no
--
-- parameter name: column, the table
-- parameter original: relation, the original as a standard history
-- parameter alpha: text, the percentage
-- parameter seed: integer, of the draw
-- parameter prefix: integer or none, so many first characters of items are known
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranked AS (
    SELECT
        record
        , ROW_NUMBER() OVER (ORDER BY MD5('partial {{ seed }} ' || {{ alpha | literal }} || ' ' || record), record) AS rank
        , COUNT(*) OVER () AS records
    FROM {{ original | relation }} AS original
)
SELECT
    original.record
    , original.user_id
    , original.period
    , original.day
    , original.clock
    , original.invoice
    , {% if prefix is not none %}LEFT(original.item, {{ prefix }}){% else %}original.item{% endif %} AS item
    , original.price
    , original.quantity
FROM {{ original | relation }} AS original
JOIN ranked ON ranked.record = original.record
WHERE ranked.rank * 100 <= CAST({{ alpha | literal }} AS DECIMAL(12, 9)) * ranked.records + 50
ORDER BY original.record
