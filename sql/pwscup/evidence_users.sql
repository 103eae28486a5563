-- evidence_users
-- Numbers the users whom an attacker knows.
--
-- definition: "number" follows the user
-- portable: no
--
-- parameter table: column, the table that is made
-- parameter known: relation, the records that the attacker knows
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH users AS (
    SELECT user_id
    FROM {{ known | relation }} AS records
    WHERE user_id IS NOT NULL
    GROUP BY user_id
)
SELECT user_id, CAST(ROW_NUMBER() OVER (ORDER BY user_id) AS INTEGER) AS number
FROM users
