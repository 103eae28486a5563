-- told_classes
-- The classes as those whose sensitive values are told of: with their records, each class seeing a group of its own.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE told_members AS
SELECT CAST(rowid AS BIGINT) AS member, records AS n, CAST(rowid AS BIGINT) AS class
FROM known_classes
