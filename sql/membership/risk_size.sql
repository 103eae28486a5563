-- risk_size
-- How many rows a table of an attack has.
--
-- portable: yes
--
-- parameter source: relation, the table
SELECT COUNT(*) AS records
FROM {{ source | relation }} AS records
