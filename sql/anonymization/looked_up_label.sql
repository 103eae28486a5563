-- looked_up_label
-- The label that a looked-up hierarchy has for a value.
--
-- definition: the text on a level of the hierarchy
-- source: value generalisation hierarchies
-- missing: stays missing
-- portable: yes
--
-- parameter level: column, the level's column
looked_up.{{ level | identifier }}
