-- label_table
-- Makes the table that gives a few texts as values of their own type too.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, that has the texts
-- parameter text: column, of the texts
-- parameter kind: column, the type
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    *
    , CAST({{ text | identifier }} AS {{ kind | identifier }}) AS label
FROM {{ source | relation }} AS texts
