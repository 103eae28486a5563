-- year
-- The calendar year of a date.
--
-- definition: the year as a number
-- source: coarser knowledge, an extension of Ito
-- portable: yes
--
-- parameter column: expression, a date or timestamp
CAST(EXTRACT(YEAR FROM {{ column | expression }}) AS INTEGER)
