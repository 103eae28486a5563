-- listed_values
-- Makes the table that has the values of a domain in one list, to be picked by their numbers.
--
-- definition: the value of number n, from 0, stands at place n + 1
-- source: perturbation
-- missing: keeps its place
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the values, with their numbers
-- parameter value: column, of the values
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT LIST({{ value | identifier }} ORDER BY number) AS listed
FROM {{ source | relation }} AS numbered
