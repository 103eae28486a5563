-- class_matches
-- How many records, weight and people agree with each class, where a missing cell is a value of its own.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE class_matches AS
SELECT
    'value' AS missing,
    CAST(rowid AS BIGINT) AS class,
    records,
    records AS class_size,
    weight,
    people
FROM known_classes
