-- drop_part
-- Gives up a table with some of the combinations.
--
-- portable: no
--
-- parameter table: column, its table
DROP TABLE {{ table | identifier }}
