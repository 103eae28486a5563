-- covered
-- The root of a hierarchy: * for every value.
--
-- definition: * covers all values
-- source: suppression, the root of every hierarchy
-- missing: stays missing
-- portable: no
--
-- parameter column: expression, the value
CASE WHEN {{ column | expression }} IS NOT NULL THEN '*' END
