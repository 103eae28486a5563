-- begin_differences
-- The table that takes what each block of items adds to the distance of two tables.
--
-- portable: no
--
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (
    first INTEGER, pairs BIGINT, difference DECIMAL(38, 18), similarity DECIMAL(38, 18)
)
