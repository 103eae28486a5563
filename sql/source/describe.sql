-- describe
-- Names and types of the columns of a relation.
--
-- portable: no
--
-- parameter source: relation, the records
DESCRIBE SELECT * FROM {{ source | relation }}
