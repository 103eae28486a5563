-- determined_by
-- Columns whose value follows from the value of another column.
--
-- definition: X determines Y if no two records with the same value of X differ in Y
-- source: functional dependency (Codd)
-- missing: records without a value of X are left out. A value of X with which Y is missing in some records and present
--   in others is an exception.
-- read: without exceptions, Y adds nothing to the knowledge of X.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter column: column, X
-- parameter columns: columns, at most 32 columns, each a Y
--
-- column position: INTEGER, position, index of Y among the given columns, from 0
-- column exceptions: BIGINT, values, values of X with which Y differs
WITH opened AS (
    SELECT {{ column | identifier }} AS x{{ columns | each(", {x.identifier} AS a{n}", between="") }}

    FROM {{ source | relation }}
),
by_value AS (
    SELECT
        COUNT(*) AS records
{% for column in columns %}
        , COUNT(a{{ loop.index }}) AS present{{ loop.index }}
        , MIN(a{{ loop.index }}) AS lowest{{ loop.index }}
        , MAX(a{{ loop.index }}) AS highest{{ loop.index }}
{% endfor %}
    FROM opened
    WHERE x IS NOT NULL
    GROUP BY x
),
counted AS (
    SELECT
{% for column in columns %}
        COUNT(
            CASE WHEN lowest{{ loop.index }} <> highest{{ loop.index }}
                OR (present{{ loop.index }} > 0 AND present{{ loop.index }} < records)
            THEN 1 END
        ) AS exceptions{{ loop.index }}{{ loop | between }}

{% endfor %}
    FROM by_value
)
-- One CASE of positions: the engine plans it faster than a SELECT for each column.
SELECT
    positions.position,
    CASE positions.position{{ columns | each(" WHEN {i} THEN exceptions{n}", between="") }} END AS exceptions
FROM counted
CROSS JOIN (VALUES {{ columns | each("({i})") }}) AS positions (position)
ORDER BY positions.position
