-- few_values
-- How many different values a column has among the first records.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter column: column, whose values
-- parameter first: integer, how many records are looked at
SELECT COUNT(DISTINCT value) AS found
FROM (
    SELECT {{ column | identifier }} AS value
    FROM {{ source | relation }} AS records
    LIMIT {{ first | literal }}
) AS opening
