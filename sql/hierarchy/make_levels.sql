-- make_levels
-- Makes the table of a hierarchy whose levels are computed: a row a value, its text first.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values are covered
-- parameter levels: expressions, one a level above the value, of the column value
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH leaves AS (
    SELECT DISTINCT {{ column | identifier }} AS value
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
)
SELECT DISTINCT
    CAST(value AS VARCHAR) AS level0
{% for level in levels %}
    , {{ level | expression }} AS level{{ loop.index }}
{% endfor %}
FROM leaves
ORDER BY level0
