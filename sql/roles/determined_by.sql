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
        x
{% for column in columns %}
        , CASE WHEN COUNT(a{{ loop.index }}) = 0 THEN 0
               WHEN COUNT(a{{ loop.index }}) < COUNT(*) OR MIN(a{{ loop.index }}) <> MAX(a{{ loop.index }}) THEN 1
               ELSE 0 END AS differs{{ loop.index }}
{% endfor %}
    FROM opened
    WHERE x IS NOT NULL
    GROUP BY x
),
counted AS (
    SELECT
{% for column in columns %}
        CAST(COALESCE(SUM(differs{{ loop.index }}), 0) AS BIGINT) AS exceptions{{ loop.index }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM by_value
)
{% for column in columns %}
SELECT CAST({{ loop.index0 }} AS INTEGER) AS position, exceptions{{ loop.index }} AS exceptions
FROM counted
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position
