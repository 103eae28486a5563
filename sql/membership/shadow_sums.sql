-- shadow_sums
-- Makes the table of what the shadows so far told of each candidate: their number, the sum and the sum of squares.
--
-- definition: sums of statistic - base, and of its square, by shadows with the candidate (inside) and without (outside); base is
--   the statistic of the first shadow
-- portable: yes
--
-- parameter name: column, the table
-- parameter statistics: relation, those of one more shadow
-- parameter before: relation or none, the sums of the others; none for the first shadow
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH told AS (
    SELECT
        statistics.record
        , {% if before is none %}statistics.statistic{% else %}sums.base{% endif %} AS base
        , statistics.inside
        , CAST(statistics.statistic - {% if before is none %}statistics.statistic{% else %}sums.base{% endif %} AS DECIMAL(38, 18)) AS moved
        , CAST(POWER(statistics.statistic - {% if before is none %}statistics.statistic{% else %}sums.base{% endif %}, 2) AS DECIMAL(38, 18)) AS square
{% for side in ['inside', 'outside'] %}
        , {% if before is none %}CAST(0 AS BIGINT){% else %}sums.{{ (side ~ '_shadows') | identifier }}{% endif %} AS {{ (side ~ '_shadows') | identifier }}
        , {% if before is none %}CAST(0 AS DECIMAL(38, 18)){% else %}sums.{{ (side ~ '_sum') | identifier }}{% endif %} AS {{ (side ~ '_sum') | identifier }}
        , {% if before is none %}CAST(0 AS DECIMAL(38, 18)){% else %}sums.{{ (side ~ '_squares') | identifier }}{% endif %} AS {{ (side ~ '_squares') | identifier }}
{% endfor %}
    FROM {{ statistics | relation }} AS statistics
{% if before is not none %}
    JOIN {{ before | relation }} AS sums ON sums.record = statistics.record
{% endif %}
)
SELECT
    record
    , base
    , inside_shadows + CASE WHEN inside THEN 1 ELSE 0 END AS inside_shadows
    , inside_sum + CASE WHEN inside THEN moved ELSE 0 END AS inside_sum
    , inside_squares + CASE WHEN inside THEN square ELSE 0 END AS inside_squares
    , outside_shadows + CASE WHEN inside THEN 0 ELSE 1 END AS outside_shadows
    , outside_sum + CASE WHEN inside THEN 0 ELSE moved END AS outside_sum
    , outside_squares + CASE WHEN inside THEN 0 ELSE square END AS outside_squares
FROM told
