-- rare_predicates
-- Makes the table of the predicates that at most one record of a part meets: no other one singles out a record.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter boxes: relation, the predicates
-- parameter matches: relation, how many records of the part meet them
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT boxes.*
FROM {{ boxes | relation }} AS boxes
WHERE NOT EXISTS (
    SELECT 1 FROM {{ matches | relation }} AS matches WHERE matches.predicate = boxes.predicate AND matches.matches > 1
)
