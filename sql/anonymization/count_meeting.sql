-- count_meeting
-- How many records meet somebody's condition, written with the names that people know.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter names: columns, what people call them, and a free name for the number of the record at the end
-- parameter where: expression, the condition
SELECT
    COUNT(*) AS records
    , CAST(COALESCE(SUM(CASE WHEN ({{ where | expression }}
    ) THEN 1 ELSE 0 END), 0) AS BIGINT) AS met
FROM (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS {{ names[loop.index0] | identifier }},
{% endfor %}
        record AS {{ names[-1] | identifier }}
    FROM {{ source | relation }} AS records
) AS opened
