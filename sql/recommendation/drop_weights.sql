-- drop_weights
-- Drops what users have of items once the vectors are made of it: it is as large as they are.
--
-- portable: no
--
-- parameter table: column, the table
DROP TABLE {{ table | identifier }}
