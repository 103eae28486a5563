-- label_texts
-- Makes the table of the different texts of a column.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, that has the column
-- parameter column: column, of texts or of a type that lists them
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT CAST({{ column | identifier }} AS VARCHAR) AS value
FROM {{ source | relation }} AS records
WHERE {{ column | identifier }} IS NOT NULL
GROUP BY {{ column | identifier }}
