-- hour
-- The hour of the day of a moment.
--
-- definition: hours since midnight, 0 to 23, in UTC where the moment has a time zone
-- source: coarser knowledge, an extension of Ito
-- portable: yes
--
-- parameter column: expression, a timestamp or time
CAST(EXTRACT(HOUR FROM {{ column | expression }}) AS INTEGER)
