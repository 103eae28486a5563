-- begin_faults
-- Makes the table of what is wrong with a file, still empty.
--
-- portable: no
--
-- parameter name: column, the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} (fault VARCHAR, record BIGINT, value VARCHAR)
