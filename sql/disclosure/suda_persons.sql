-- suda_persons
-- The score of everybody who has a minimal unique, and the risk by data intrusion simulation.
--
-- definition: somebody with several combinations has the highest score of these. With U who are unique on all attributes, P in
--   classes of exactly two, the fraction d of the population, m attributes and Q = 1 + (8 - m) / 20: D = U d / (U d + P (1 - d)),
--   A = the sum over all with a score of score ^ -Q, and the risk is 1 / (1 + (U / D - U) / (score ^ Q A)).
-- source: Elliot, Integrating file and record level disclosure risk assessment, 2002, as in sdcMicro
-- portable: no
--
-- parameter fraction: number or none, d; none computes no risk
-- parameter attributes: integer, m
CREATE OR REPLACE TEMP TABLE suda_persons AS
WITH persons AS (
    SELECT id, MAX(score) AS score, ARG_MAX(member, (score, -member)) AS member
    FROM suda_scores
    GROUP BY id
)
{% if fraction is none %}
SELECT id, score, member, CAST(NULL AS DOUBLE) AS dis
FROM persons
{% else %}
, scores AS (
    SELECT score, COUNT(*) AS n, POW(CAST(score AS DOUBLE), 1 + (8 - {{ attributes }}) / 20) AS weight
    FROM persons
    GROUP BY score
),
sizes AS (
    SELECT
        CAST(COUNT(CASE WHEN records = 1 THEN 1 END) AS DOUBLE) AS alone,
        CAST(COALESCE(SUM(CASE WHEN records = 2 THEN 2 END), 0) AS DOUBLE) AS paired
    FROM lattice_rows
),
totals AS (
    SELECT
        (SELECT SUM(n / weight ORDER BY score) FROM scores) AS spread,
        alone,
        alone * {{ fraction | literal }} / (alone * {{ fraction | literal }} + paired * (1 - {{ fraction | literal }})) AS matched
    FROM sizes
)
SELECT
    persons.id, persons.score, persons.member,
    1 / (1 + (totals.alone / totals.matched - totals.alone) / (scores.weight * totals.spread)) AS dis
FROM persons
JOIN scores ON scores.score = persons.score
CROSS JOIN totals
{% endif %}
