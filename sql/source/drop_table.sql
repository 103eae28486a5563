-- drop_table
-- Removes a table that is no longer needed.
--
-- portable: yes
--
-- parameter table: column, the table
DROP TABLE IF EXISTS {{ table | identifier }}
