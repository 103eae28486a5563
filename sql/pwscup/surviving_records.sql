-- surviving_records
-- Makes the records of a release that were not deleted: what attackers get.
--
-- definition: in the order of the release with its numbers, or shuffled by a seed and numbered anew: ordered by the MD5 sum of
--   the seed and the number
-- missing: deleted records miss all their cells
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the release aligned with its original
-- parameter seed: integer or none, of the order; none keeps it
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    {% if seed is not none %}ROW_NUMBER() OVER (ORDER BY MD5('release {{ seed }} ' || record), record){% else %}record{% endif %} AS record
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
ORDER BY 1
