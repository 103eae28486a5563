-- suda_tables
-- Begins a table of what is unique, by combination and set of high attributes, with the sets of low ones as bits.
--
-- portable: no
--
-- parameter table: column, its name
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} (high BIGINT, member INTEGER, bits UBIGINT)
