-- keep_top_items
-- Keeps the top items of a table, to compare others with.
--
-- portable: no
--
-- parameter top: relation, the query of its top items
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT item FROM ({{ top | relation }}) AS top
