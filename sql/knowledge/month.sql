-- month
-- The calendar month of a date.
--
-- definition: the first day of the month
-- source: coarser knowledge, an extension of Ito
-- portable: yes
--
-- parameter column: expression, a date or timestamp
CAST(DATE_TRUNC('month', {{ column | expression }}) AS DATE)
