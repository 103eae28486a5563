-- cells_of_values
-- Makes the table of the different values of a column, with what becomes of each: computed once, not once a record.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values
-- parameter key: expression, what of a value tells what becomes of it: the value, or the day of a moment
-- parameter cell: expression, what becomes of one
-- parameter changed: expression or none, whether it is another text; none where all are
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH keyed AS (
    SELECT {{ key | expression }} AS {{ column | identifier }}
    FROM {{ source | relation }} AS records
    WHERE records.{{ column | identifier }} IS NOT NULL
),
counted AS (
    SELECT
        {{ column | identifier }}
        , COUNT(*) AS cells
    FROM keyed
    GROUP BY {{ column | identifier }}
)
SELECT
    {{ column | identifier }} AS number
    , {{ cell | expression }} AS value
    , CASE WHEN {% if changed is not none %}{{ changed | expression }}{% else %}TRUE{% endif %} THEN cells ELSE 0 END AS changed
FROM counted
