-- count_violations
-- What is wrong with a file: how often, and the first rows.
--
-- definition: rows by their number; what is about no row counts once and names none
-- portable: no
--
-- parameter source: relation, what is wrong
-- parameter most: integer, as many rows are named
WITH numbered AS (
    SELECT violated, record, value, ROW_NUMBER() OVER (PARTITION BY violated ORDER BY record NULLS LAST, value NULLS LAST) AS number
    FROM {{ source | relation }} AS violations
)
SELECT
    violated
    , COUNT(*) AS violations
    , COALESCE(LIST(record ORDER BY number) FILTER (number <= {{ most }} AND record IS NOT NULL), []) AS rows
    , COALESCE(LIST(value ORDER BY number) FILTER (number <= {{ most }} AND value IS NOT NULL), []) AS "values"
FROM numbered
GROUP BY violated
ORDER BY violated
