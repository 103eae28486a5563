-- number
-- A floating-point number, with minus zero taken as zero.
--
-- definition: the number itself
-- source: equality of numbers; -0.0 and 0.0 are equal but are written differently
-- portable: yes
--
-- parameter column: expression, a floating-point number
{{ column | expression }} + 0
