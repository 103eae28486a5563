-- week
-- The week of a date, by its Monday.
--
-- definition: the Monday on or before the date
-- source: coarser knowledge, an extension of Ito
-- portable: yes
--
-- parameter column: expression, a date or timestamp
CAST(DATE_TRUNC('week', {{ column | expression }}) AS DATE)
