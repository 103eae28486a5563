-- told_user_values
-- The different values of the sensitive attribute that each user has in any record.
--
-- missing: a missing cell is a value of its own, or none where these tell nothing
-- portable: yes
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter column: column, the sensitive attribute
-- parameter ignored: integer, 1 where a missing cell tells nothing
CREATE OR REPLACE TEMP TABLE told_values AS
SELECT DISTINCT {{ user | identifier }} AS member, {{ column | identifier }} AS value, 1 AS n
FROM {{ source | relation }}
WHERE {{ user | identifier }} IS NOT NULL{% if ignored %} AND {{ column | identifier }} IS NOT NULL{% endif %}

