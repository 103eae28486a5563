-- contest_text
-- Treated records as the contest writes them.
--
-- definition: dates are yyyy/m/d without leading zeros; a deleted record is DEL and six empty cells
-- portable: no
--
-- parameter name: column, the view
-- parameter source: relation, the records under the bindings of a source
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
    , COALESCE(c0, 'DEL') AS c0
    , CASE WHEN c0 IS NOT NULL THEN c1 END AS c1
    , CASE WHEN c0 IS NOT NULL THEN YEAR(c2) || '/' || MONTH(c2) || '/' || DAY(c2) END AS c2
    , CASE WHEN c0 IS NOT NULL THEN c3 END AS c3
    , CASE WHEN c0 IS NOT NULL THEN c4 END AS c4
    , CASE WHEN c0 IS NOT NULL THEN c5 END AS c5
    , CASE WHEN c0 IS NOT NULL THEN c6 END AS c6
FROM {{ source | relation }} AS records
