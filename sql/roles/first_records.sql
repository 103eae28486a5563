-- first_records
-- Some records of a relation, to refute a guess cheaply before it is checked on all of them.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter most: integer, how many records
(SELECT * FROM {{ source | relation }} LIMIT {{ most | literal }})
