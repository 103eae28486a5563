-- time
-- The minute of the day of a moment.
--
-- definition: minutes since midnight, 0 to 1439, in UTC where the moment has a time zone
-- source: Ito, section 4 (purchase time)
-- portable: yes
--
-- parameter column: expression, a timestamp or time
CAST(EXTRACT(HOUR FROM {{ column | expression }}) * 60 + EXTRACT(MINUTE FROM {{ column | expression }}) AS INTEGER)
