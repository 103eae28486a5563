-- first_record
-- The first record of a relation whose records come in their order.
--
-- portable: no
--
-- parameter source: relation, the records
SELECT * FROM {{ source | relation }} LIMIT 1
