-- hold_records
-- Keeps the records of a view in a table.
--
-- portable: no
--
-- parameter view: column, the view
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS SELECT * FROM {{ view | identifier }}
