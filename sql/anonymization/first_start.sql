-- first_start
-- The day that the first period of the records begins with.
--
-- missing: records without a time are left out
-- portable: yes
--
-- parameter source: relation, the records
-- parameter start: expression, the first day of a record's period
SELECT MIN({{ start | expression }}) AS first_day
FROM {{ source | relation }} AS records
