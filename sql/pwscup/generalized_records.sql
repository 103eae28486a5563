-- generalized_records
-- Makes the table of who each record of a release of 2018 is of, and under which pseudonym.
--
-- definition: a release of 2018 is aligned with its original; a record whose five cells are * is deleted
-- source: the format checker of PWS Cup 2018
-- missing: a deleted record has no pseudonym
-- portable: no
--
-- parameter name: column, the table
-- parameter original: relation, the lines of the original
-- parameter release: relation, the lines of the release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    original.record
    , original.c0 AS customer
    , CASE WHEN NOT (release.c0 = '*' AND release.c1 = '*' AND release.c2 = '*' AND release.c3 = '*' AND release.c4 = '*') THEN release.c0 END AS pseudonym
FROM {{ original | relation }} AS original
JOIN {{ release | relation }} AS release ON release.record = original.record
