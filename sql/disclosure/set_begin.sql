-- set_begin
-- Begins the table of what is counted for each attribute set.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE set_parts (
    mask BIGINT, records HUGEINT, classes HUGEINT, singled HUGEINT, squares HUGEINT, smallest BIGINT
)
