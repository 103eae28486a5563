-- cells
-- The values of some records as texts: only for whoever asked to see values.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter attributes: attributes, whose values are wanted
-- parameter records: integers, the numbers of the records
WITH numbered AS (
    SELECT
        ROW_NUMBER() OVER () AS record
{% for attribute in attributes %}
        , CAST({{ attribute | value }} AS VARCHAR) AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT record, [{% for attribute in attributes %}v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}] AS cells
FROM numbered
WHERE list_contains({{ records | literal }}, record)
ORDER BY record
