-- ordered_people
-- The people of a table with a number each, in an order of their records that the seed fixes.
--
-- definition: as known_records makes it of an attribute with a value in every record, which then need not make it anew
-- source: our own
-- runs: finish
-- makes: ordered_people
--
-- parameter source: relation, the records
-- parameter user: column, the person behind a record
-- parameter seed: integer, chooses the order
CREATE OR REPLACE TEMP TABLE ordered_people AS
WITH history AS (
    SELECT {{ user | person }} AS user_id, TRUE AS value
    FROM {{ source | relation }}
),
-- include: people_in_seed_order
ordered AS (
    SELECT user_id, records, number, records_before FROM in_seed_order
)
SELECT * FROM ordered
