-- value_each
-- The value of a leak of one user, on the average.
--
-- portable: yes
--
-- parameter value: number, that of all
-- parameter users: integer, how many they are
SELECT CAST({{ value | literal }} AS DOUBLE) / {{ users }} AS value_each
