-- select_all
-- All records of a relation.
--
-- portable: yes
--
-- parameter source: relation, the records
SELECT * FROM {{ source | relation }}
