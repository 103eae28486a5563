-- drop_part
-- Gives up a part of the combinations.
--
-- portable: no
--
-- parameter table: column, its table
DROP TABLE {{ table | identifier }}
