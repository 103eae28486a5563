-- standard_release
-- The standard table of a release, aligned with the original.
--
-- definition: one record for each of the original, in its order
-- missing: a deleted record misses all its cells
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the release as a standard history
-- parameter original: relation, the original as a standard history
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    original.record
    , released.user_id AS pseudonym
    , released.period
    , released.day
    , released.clock
    , released.invoice
    , released.item
    , released.price
    , released.quantity
FROM {{ original | relation }} AS original
LEFT JOIN {{ source | relation }} AS released ON released.record = original.record
ORDER BY original.record
