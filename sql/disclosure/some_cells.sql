-- some_cells
-- The records with some of the values of a column, always the same ones: all records of a value or none.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter column: column, whose values are chosen
-- parameter one_in: integer, of so many values about one
(SELECT {{ column | identifier }} FROM {{ source | relation }} WHERE HASH({{ column | identifier }}) % {{ one_in | literal }} = 0)
