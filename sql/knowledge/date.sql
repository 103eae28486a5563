-- date
-- The calendar day of a moment.
--
-- definition: the date part of a timestamp, in UTC where it has a time zone
-- source: Ito, section 4 (purchase date)
-- portable: yes
--
-- parameter column: expression, a date or timestamp
CAST({{ column | expression }} AS DATE)
