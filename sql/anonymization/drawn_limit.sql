-- drawn_limit
-- The drawn number up to which so many records are kept.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter drawn: expression, the drawn number of a record
-- parameter most: integer, how many are kept
SELECT CAST(MAX(drawn) AS VARCHAR) AS drawn
FROM (
    SELECT {{ drawn | expression }} AS drawn
    FROM {{ source | relation }} AS records
    ORDER BY drawn
    LIMIT {{ most | literal }}
) AS smallest
