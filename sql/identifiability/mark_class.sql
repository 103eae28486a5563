-- mark_class
-- Marks the open persons whom all attributes of a class together single out.
--
-- portable: no
--
-- parameter class: integer, the bit of the class
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * REPLACE (
    CASE WHEN id IN (SELECT id FROM closed) THEN classes | CAST({{ class | literal }} AS SMALLINT) ELSE classes END AS classes
)
FROM open_persons
