-- is_present
-- Whether something is not missing.
--
-- definition: a cell, or what a record draws, is there
-- source: counts of what a step changes
-- portable: yes
--
-- parameter cell: expression, what may be missing
({{ cell | expression }}) IS NOT NULL
