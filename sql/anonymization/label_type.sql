-- label_type
-- Makes a type whose values are a few texts.
--
-- portable: no
--
-- parameter name: column, the type
-- parameter source: relation, the texts
CREATE OR REPLACE TEMP TYPE {{ name | identifier }} AS ENUM (SELECT value FROM {{ source | relation }} AS texts ORDER BY value)
