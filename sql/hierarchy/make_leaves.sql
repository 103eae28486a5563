-- make_leaves
-- Makes the table of the values of a column as texts, with how many cells each has.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
    SELECT
        {{ column | identifier }} AS value
        , COUNT(*) AS cells
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY {{ column | identifier }}
)
SELECT
    CAST(value AS VARCHAR) AS value
    , CAST(SUM(cells) AS BIGINT) AS cells
FROM counted
GROUP BY CAST(value AS VARCHAR)
