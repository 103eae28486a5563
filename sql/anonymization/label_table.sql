-- label_table
-- Makes the table that gives a few texts as values of their own type.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the texts
-- parameter kind: column, the type
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    value
    , CAST(value AS {{ kind | identifier }}) AS label
FROM {{ source | relation }} AS texts
