-- begin_violations
-- Makes the table of what is wrong with a file, still empty.
--
-- portable: no
--
-- parameter name: column, the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} (violated VARCHAR, record BIGINT, value VARCHAR)
