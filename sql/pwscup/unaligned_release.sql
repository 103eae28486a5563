-- unaligned_release
-- The released records in an order of their own, from a standard history whose users are pseudonyms.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the release as a standard history
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , user_id AS pseudonym
    , period
    , day
    , clock
    , invoice
    , item
    , price
    , quantity
FROM {{ source | relation }} AS records
ORDER BY record
