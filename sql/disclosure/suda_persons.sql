-- suda_persons
-- The score of everybody who has a minimal unique, and the risk by data intrusion simulation.
--
-- definition: somebody with several combinations has the highest score of these. With U who are unique on all attributes, P in
--   classes of exactly two, the fraction d of the population, m attributes and Q = 1 + (8 - m) / 20: D = U d / (U d + P (1 - d)),
--   A = the sum over all with a score of score ^ -Q, and the risk is 1 / (1 + (U / D - U) / (score ^ Q A)); 0 without a score.
--   D is how often a record that is taken out, put back with d and looked for is the only match and the right one. So where a
--   missing cell agrees with all, U are those who agree with nobody and P those who agree with one other record.
-- source: Elliot, Integrating file and record level disclosure risk assessment, 2002, as in sdcMicro
-- portable: no
--
-- parameter fraction: number or none, d; none computes no risk
-- parameter attributes: integer, m
-- parameter divisor: integer, a score here is so many times what it is
-- parameter wildcard: integer, 1 where who agrees on all attributes is in agreeing_sizes
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
    SELECT score, COUNT(*) AS n, POW(CAST(score AS DOUBLE){% if divisor > 1 %} / {{ divisor }}{% endif %}, 1 + (8 - {{ attributes }}) / 20) AS weight
    FROM persons
    GROUP BY score
),
sizes AS (
    SELECT
{% if wildcard %}
        CAST(COALESCE(SUM(CASE WHEN agreeing = 1 THEN records END), 0) AS DOUBLE) AS alone,
        CAST(COALESCE(SUM(CASE WHEN agreeing = 2 THEN records END), 0) AS DOUBLE) AS paired
    FROM agreeing_sizes
{% else %}
        CAST(COUNT(CASE WHEN records = 1 THEN 1 END) AS DOUBLE) AS alone,
        CAST(COALESCE(SUM(CASE WHEN records = 2 THEN 2 END), 0) AS DOUBLE) AS paired
    FROM lattice_rows
{% endif %}
),
totals AS (
    SELECT
        (SELECT SUM(n / weight ORDER BY score) FROM scores WHERE score > 0) AS spread,
        alone,
        alone * {{ fraction | literal }} / (alone * {{ fraction | literal }} + paired * (1 - {{ fraction | literal }})) AS matched
    FROM sizes
)
SELECT
    persons.id, persons.score, persons.member,
    CASE WHEN persons.score = 0 THEN 0 ELSE 1 / (1 + (totals.alone / totals.matched - totals.alone) / (scores.weight * totals.spread)) END AS dis
FROM persons
JOIN scores ON scores.score = persons.score
CROSS JOIN totals
{% endif %}
