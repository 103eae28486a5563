-- as_text
-- A value as it is written.
--
-- definition: the value written as text
-- source: equality of values whose type has several ways to write one value
-- portable: yes
--
-- parameter column: expression, any column
CAST({{ column | expression }} AS STRING)
