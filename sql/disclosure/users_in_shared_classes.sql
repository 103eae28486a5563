-- users_in_shared_classes
-- The users who share their fingerprint with another one.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE users_in_shared_classes AS
SELECT person, records
FROM class_users
SEMI JOIN (
    SELECT records, fingerprint
    FROM class_users
    GROUP BY records, fingerprint
    HAVING COUNT(*) > 1
) AS shared USING (records, fingerprint)
