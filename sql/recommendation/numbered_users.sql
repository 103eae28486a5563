-- numbered_users
-- Numbers the users of a table: from 1 up those of the original, from -1 down those of a release.
--
-- definition: nobody is taken for the same person in both
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: column, the user of a record
-- parameter released: integer, 1 for the users of a release
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH users AS (
    SELECT CAST({{ user | identifier }} AS VARCHAR) AS user_id
    FROM {{ source | relation }}
    GROUP BY user_id
)
SELECT user_id, CAST({% if released %}-{% endif %}ROW_NUMBER() OVER () AS INTEGER) AS number
FROM users
WHERE user_id IS NOT NULL
