-- queried
-- A query as a relation; it can read the source under the name "source".
--
-- portable: no
--
-- parameter query: expression, one SELECT
-- parameter source: relation or none, the records
(
{% if source is not none %}
    WITH "source" AS (SELECT * FROM {{ source | relation }})
{% endif %}
    SELECT * FROM ({{ query | expression }}
    )
)
