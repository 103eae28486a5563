-- found_label
-- Whether a row of a hierarchy is that of a value.
--
-- definition: the same text
-- source: value generalisation hierarchies
-- missing: finds nothing
-- portable: no
--
-- parameter column: column, the value
looked_up.level0 = CAST(records.{{ column | identifier }} AS VARCHAR)
