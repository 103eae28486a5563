-- contest_cells
-- The records of a history in a file of the contest, as they are written.
--
-- definition: customer or pseudonym, invoice, date, time, stock code, price and quantity; a record whose first cell is DEL
--   is deleted, and partly so where another cell is left
-- missing: an empty cell is empty; the cells of deleted records are missing
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the lines
-- parameter skipped: integer, 1 where the first line is none of the records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH lines AS (
    SELECT record - {{ skipped }} AS record, fields, c0, c1, c2, c3, c4, c5, c6, c0 = 'DEL' AS deleted
    FROM {{ source | relation }} AS lines
    WHERE record > {{ skipped }}
)
SELECT
    record
    , fields
    , deleted
    , deleted AND CONCAT(c1, c2, c3, c4, c5, c6) <> '' AS partly
    , CASE WHEN NOT deleted THEN c0 END AS person
    , CASE WHEN NOT deleted THEN c1 END AS invoice
    , CASE WHEN NOT deleted THEN c2 END AS moment
    , CASE WHEN NOT deleted AND REGEXP_FULL_MATCH(c2, '\d{4}/1?\d/[1-3]?\d') AND c2 >= '0001' THEN CAST(TRY_STRPTIME(c2, '%Y/%m/%d') AS DATE) END AS day
    , CASE WHEN NOT deleted THEN c3 END AS clock
    , CASE WHEN NOT deleted THEN c4 END AS item
    , CASE WHEN NOT deleted THEN c5 END AS price
    , CASE WHEN NOT deleted THEN c6 END AS quantity
FROM lines
ORDER BY record
