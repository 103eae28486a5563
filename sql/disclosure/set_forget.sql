-- set_forget
-- Takes out what was counted of sets of high attributes, with whichever low ones.
--
-- portable: no
--
-- parameter high: integer, the high attributes as bits
-- parameter sets: integers, the sets
DELETE FROM set_parts
WHERE (mask & {{ high }}) IN {{ sets | literal }}
