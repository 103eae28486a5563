-- kept_table
-- Makes a copy of a table.
--
-- portable: yes
--
-- parameter name: column, the copy
-- parameter source: relation, the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT * FROM {{ source | relation }} AS records
