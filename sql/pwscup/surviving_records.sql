-- surviving_records
-- Makes the records of a release that were not deleted: what attackers get.
--
-- definition: in the order of the release, with its numbers
-- missing: deleted records miss all their cells
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the release aligned with its original
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , pseudonym
    , period
    , day
    , clock
    , invoice
    , item
    , price
    , quantity
FROM {{ source | relation }} AS released
WHERE pseudonym IS NOT NULL
ORDER BY record
