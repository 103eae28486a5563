-- make_users
-- Makes the table of the users, once each.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, with the users
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT DISTINCT user_id
FROM {{ source | relation }} AS source
WHERE user_id IS NOT NULL
