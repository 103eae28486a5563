-- record_part
-- Makes the table of every so many-th record: what two of them meet, two of all meet.
--
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter step: integer, one of so many
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT records.*
FROM {{ source | relation }} AS records
WHERE MOD(record, {{ step }}) = 0
