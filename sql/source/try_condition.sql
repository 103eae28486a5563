-- try_condition
-- Whether one record of missing values meets a condition: an error tells that the condition cannot be used.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter names: columns, one new name a column
-- parameter where: expression, the condition
SELECT COUNT(*) AS records
FROM (
    SELECT opened.*
    FROM (SELECT 1) AS single
    LEFT JOIN (SELECT * FROM {{ source | relation }} LIMIT 0)
        AS opened({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
    ON TRUE
) AS opened
WHERE ({{ where | expression }}
)
