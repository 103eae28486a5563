-- records_and_users
-- The records and users of each value of an attribute.

WITH history AS (
    SELECT {{ user | person }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
knowledge AS (
    SELECT value, COUNT(*) AS records, {% if user %}COUNT(DISTINCT user_id){% else %}COUNT(*){% endif %} AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
