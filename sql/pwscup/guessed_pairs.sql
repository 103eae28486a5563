-- guessed_pairs
-- Makes the table of the pairs of a guess of 2018: a pseudonym and a customer in each line.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the lines
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT record, c0 AS pseudonym, c1 AS customer
FROM {{ source | relation }} AS lines
