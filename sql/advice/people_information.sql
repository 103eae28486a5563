-- people_information
-- The information that is left of what the records tell.
--
-- definition: as in treated_information; the records of small classes are deleted
-- source: Yamaoka and Itoh, section 5 (information U); a deleted record counts as suppressed in every attribute
-- portable: no
--
-- parameter source: relation, the records as they are to be published
-- parameter user: integer, 1 where records have a person, 0 where each is one
-- parameter least: integer, classes of fewer people are deleted
-- parameter spread: number, log2 of all combinations of values
-- parameter told: number or none, the sum of t log2 t of the table as it is; none where this is the table
WITH classes AS (
    SELECT
        CAST(COUNT(*) AS DOUBLE) AS t,
        CASE WHEN {% if user and least > 1 %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} < {{ least }} THEN CAST(0 AS DOUBLE) ELSE CAST(COUNT(*) AS DOUBLE) END AS m,
        MIN(spread) AS spread
    FROM {{ source | relation }} AS published
    GROUP BY class
),
totals AS (
    SELECT SUM(t) AS n, SUM(t - m) AS d FROM classes
),
published AS (
    SELECT
        SUM(CAST(t * (CASE
            WHEN m = 0 THEN LOG2(d) - {{ spread | literal }}
            WHEN d = 0 THEN LOG2(m) - spread
            ELSE LOG2(m + d * POWER(2, GREATEST(spread - {{ spread | literal }}, -1000))) - spread
        END) AS DECIMAL(38, 12))) AS told
    FROM classes, totals
),
divergences AS (
    SELECT
        CAST(told AS DOUBLE) AS told,
        {% if told is none %}CAST(told AS DOUBLE){% else %}{{ told | literal }}{% endif %} / n - CAST(told AS DOUBLE) / n AS kl,
        {% if told is none %}CAST(told AS DOUBLE){% else %}{{ told | literal }}{% endif %} / n - LOG2(n) + {{ spread | literal }} AS kl0
    FROM published, totals
)
SELECT told, CASE WHEN kl0 < 0.000000001 THEN CAST(1 AS DOUBLE) ELSE ROUND(1 - kl / kl0, 9) + 0 END AS information
FROM divergences
