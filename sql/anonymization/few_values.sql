-- few_values
-- How many different values the first records have.
--
-- portable: yes
--
-- parameter source: relation, the records
-- parameter value: expression, the value of a record
-- parameter first: integer, how many records are looked at
SELECT COUNT(DISTINCT value) AS found
FROM (
    SELECT {{ value | expression }} AS value
    FROM {{ source | relation }} AS records
    LIMIT {{ first | literal }}
) AS opening
