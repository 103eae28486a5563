-- begin_vectors
-- The table that takes the vectors of all items, one row for each user who has an item.
--
-- portable: no
--
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (user_number INTEGER, item INTEGER, weight DOUBLE)
