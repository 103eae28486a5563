-- prefix_cell
-- The first characters of a value's text, and * where something was cut off.
--
-- definition: the first n characters; a text that has no more stays itself
-- source: hierarchies of postcodes and of other codes whose prefixes mean something
-- missing: stays missing
-- portable: no
--
-- parameter column: expression, the value
-- parameter argument: integer, how many characters stay
CASE
    WHEN LENGTH(CAST({{ column | expression }} AS VARCHAR)) > {{ argument | literal }} THEN CONCAT(LEFT(CAST({{ column | expression }} AS VARCHAR), {{ argument | literal }}), '*')
    ELSE CAST({{ column | expression }} AS VARCHAR)
END
