-- looked_up_value
-- What was looked up for a value.
--
-- definition: what becomes of the value
-- source: a table of the values, computed once for each
-- missing: stays missing
-- portable: yes
looked_up.value
