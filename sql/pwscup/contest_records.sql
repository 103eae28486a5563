-- contest_records
-- The records of a file of the contest under the bindings of a source, to be treated and written again.
--
-- definition: customer or pseudonym, invoice, date, time, stock code, price, quantity; all texts but the date
-- missing: an empty cell and the cells of a deleted record are missing
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the lines
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    NULLIF(NULLIF(c0, 'DEL'), '') AS c0
    , NULLIF(c1, '') AS c1
    , CAST(TRY_STRPTIME(c2, '%Y/%m/%d') AS DATE) AS c2
    , NULLIF(c3, '') AS c3
    , NULLIF(c4, '') AS c4
    , NULLIF(c5, '') AS c5
    , NULLIF(c6, '') AS c6
FROM {{ source | relation }} AS lines
