-- band
-- The band of a number.
--
-- definition: the largest multiple of the width that is not above the number
-- source: coarser knowledge, an extension of Ito
-- portable: yes
--
-- parameter column: expression, a number
-- parameter argument: number, the width of a band, above 0
FLOOR(CAST({{ column | expression }} AS DOUBLE) / {{ argument | literal }}) * {{ argument | literal }} + 0
