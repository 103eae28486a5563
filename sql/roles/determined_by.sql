-- determined_by
-- Which columns are determined by another one: who knows that one knows them too.
--
-- definition: X determines Y when no two records with the same value of X differ in Y
-- source: functional dependency (Codd)
-- missing: records without a value of X are left out; Y missing in some and present in other records
--   of one value of X is a difference.
-- read: no exceptions means that Y adds nothing to what X tells.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter column: column, X
-- parameter columns: columns, at most 32 columns, each a Y
--
-- column position: INTEGER, position, the place of Y among the given columns, from 0
-- column exceptions: BIGINT, values, values of X with which Y differs
WITH opened AS (
    SELECT {{ column | identifier }} AS x{% for column in columns %}, {{ column | identifier }} AS a{{ loop.index }}{% endfor %}

    FROM {{ source | relation }}
),
by_value AS (
    SELECT
        COUNT(*) AS records
{% for column in columns %}
        , COUNT(a{{ loop.index }}) AS present{{ loop.index }}, MIN(a{{ loop.index }}) AS lowest{{ loop.index }}, MAX(a{{ loop.index }}) AS highest{{ loop.index }}
{% endfor %}
    FROM opened
    WHERE x IS NOT NULL
    GROUP BY x
),
counted AS (
    SELECT
{% for column in columns %}
        COUNT(CASE WHEN lowest{{ loop.index }} <> highest{{ loop.index }} OR (present{{ loop.index }} > 0 AND present{{ loop.index }} < records) THEN 1 END) AS exceptions{{ loop.index }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM by_value
)
-- One row a column by its place: a SELECT for each takes the engine longer to plan.
SELECT
    positions.position,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN exceptions{{ loop.index }}{% endfor %} END AS exceptions
FROM counted
CROSS JOIN (VALUES {% for column in columns %}({{ loop.index0 }}){% if not loop.last %}, {% endif %}{% endfor %}) AS positions (position)
ORDER BY positions.position
