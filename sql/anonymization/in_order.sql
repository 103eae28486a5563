-- in_order
-- Records whose number is asked for on their way: an engine that numbers them does so one after another.
--
-- definition: every number is 0 or more
-- source: a release has its records in the order of the source
-- portable: no
--
-- parameter source: relation, the records, with their numbers
(SELECT * FROM {{ source | relation }} AS coming WHERE record >= 0)
