-- swap_totals
-- The sums over all records of a table, cell by cell; those that are 0 are left out.
--
-- portable: no
--
-- parameter source: relation, records that can be swapped
-- parameter cells: expression, the cells of a record
-- parameter values: expression, what it adds to them
SELECT cell, CAST(SUM(value) AS BIGINT) AS total
FROM (
    SELECT UNNEST({{ cells | expression }}) AS cell, UNNEST({{ values | expression }}) AS value
    FROM {{ source | relation }} AS codes
) AS added
GROUP BY cell
HAVING SUM(value) <> 0
ORDER BY cell
