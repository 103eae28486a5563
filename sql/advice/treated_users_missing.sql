-- treated_users_missing
-- The pseudonyms and the attributes that none of their records has.
--
-- portable: no
CREATE OR REPLACE TEMP TABLE users_missing AS
SELECT person AS id, CAST(BIT_AND(missing) AS BIGINT) AS missing
FROM treated_records
GROUP BY person
