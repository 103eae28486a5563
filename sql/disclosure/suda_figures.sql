-- suda_figures
-- Figures of the minimal uniques found by suda: scores, the risk of each person, and the attributes behind them.
--
-- source: Elliot, Manning and Ford, 2002; Elliot, 2002, as in sdcMicro
-- runs: finish
-- reads: agreeing_sizes, lattice_rows, suda_uniques
-- makes: suda_persons, suda_scores
--
-- parameter divisor: integer, factor of the scores
-- parameter wildcard: flag, agreeing_sizes lists who agrees with a person on all attributes
-- parameter max_sets: integer, largest number of sets to list
-- parameter by_user: flag, a person is a user, who can have several combinations

-- name: suda_scores
-- The score of each combination with a minimal unique, and the contribution of each attribute.
--
-- definition: a minimal unique of k of m attributes scores (m - k) (m - k - 1) ... (m - M), where M is the largest
--   size that is looked for, m - 1 at most; these are added up. The part of an attribute is that of the minimal
--   uniques that hold it. In the variant of the IHSN it scores (2 ^ (m - k) - 1) / C(m, k): the larger sets but by
--   the number of sets of its size.
-- source: Elliot, Manning and Ford, A computational algorithm for handling the special uniques problem, 2002;
--   sdcMicro, whose first program was the IHSN's
--
-- parameter weights: integers, the score of a minimal unique by its size, from 1 on; a multiple of it where it is no
--   whole number
-- parameter bits: integers, the bit of each attribute
-- parameter columns: columns, the words with the fields of the attributes
CREATE OR REPLACE TEMP TABLE suda_scores AS
WITH weighed AS (
    SELECT member, mask,
        CAST({{ weights | literal }}
        AS {% if weights | max < 2 ** 62 %}BIGINT{% else %}HUGEINT{% endif %}[])[CAST(BIT_COUNT(mask) AS INTEGER)]
        AS weight
    FROM suda_uniques
),
summed AS (
    SELECT
        member,
        COUNT(*) AS uniques,
        SUM(weight) AS score
{% for bit in bits %}
        , SUM(CASE WHEN (mask & {{ bit }}) <> 0 THEN weight ELSE 0 END) AS s{{ loop.index0 }}
        , COUNT(CASE WHEN (mask & {{ bit }}) <> 0 THEN 1 END) AS n{{ loop.index0 }}
{% endfor %}
    FROM weighed
    GROUP BY member
)
SELECT rows.id, rows.records{% for column in columns %}, rows.{{ column | identifier }}{% endfor %}, summed.*
FROM summed
JOIN lattice_rows AS rows ON rows.member = summed.member

-- name: suda_persons
-- The score of each person with a minimal unique, and the risk by data intrusion simulation.
--
-- definition: a person with several combinations has the highest score of these. With U unique on all attributes, P
--   in classes of exactly two, the fraction d of the population, m attributes and Q = 1 + (8 - m) / 20: D = U d / (U
--   d + P (1 - d)), A = the sum over all with a score of score ^ -Q, and the risk is 1 / (1 + (U / D - U) / (score ^
--   Q A)); 0 without a score. D is the probability that a record that is removed, returned with probability d and
--   searched is the only match and the right one. So where a missing value agrees with all, U agree with nobody and P
--   agree with one other record.
-- source: Elliot, Integrating file and record level disclosure risk assessment, 2002, as in sdcMicro
--
-- takes: divisor, wildcard
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
    SELECT score, COUNT(*) AS n,
        POW(CAST(score AS DOUBLE){% if divisor > 1 %} / {{ divisor }}{% endif %}, 1 + (8 - {{ attributes }}) / 20)
        AS weight
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
        alone * {{ fraction | literal }} / (alone * {{ fraction | literal }} + paired * (1 - {{ fraction | literal }}))
            AS matched
    FROM sizes
)
SELECT
    persons.id, persons.score, persons.member,
    CASE WHEN persons.score = 0 THEN 0
        ELSE 1 / (1 + (totals.alone / totals.matched - totals.alone) / (scores.weight * totals.spread)) END AS dis
FROM persons
JOIN scores ON scores.score = persons.score
CROSS JOIN totals
{% endif %}

-- name: suda_totals
-- Counts the persons with minimal uniques, and sums their scores.
-- takes: divisor, wildcard
-- parameter persons: integer, number of all persons
WITH uniques AS (
    SELECT COUNT(*) AS minimal_uniques FROM suda_uniques
),
rows AS (
    SELECT
{% if wildcard %}
        COUNT(DISTINCT CASE WHEN alone THEN id END) AS unique_on_all,
        CAST(COALESCE(SUM(CASE WHEN agreeing = 2 THEN records END), 0) AS BIGINT) AS in_pairs
    FROM agreeing_sizes
{% else %}
        COUNT(DISTINCT id) AS unique_on_all,
        CAST(COALESCE(SUM(CASE WHEN records = 2 THEN 2 END), 0) AS BIGINT) AS in_pairs
    FROM lattice_rows
{% endif %}
),
records AS (
    SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS scored_records FROM suda_scores
)
SELECT
    ANY_VALUE(rows.unique_on_all) AS unique_on_all,
    ANY_VALUE(rows.in_pairs) AS in_pairs,
    COUNT(persons.id) AS scored,
    CAST(COUNT(persons.id) AS DOUBLE) / NULLIF({{ persons }}, 0) AS scored_share,
    ANY_VALUE(records.scored_records) AS scored_records,
    ANY_VALUE(uniques.minimal_uniques) AS minimal_uniques,
{% if divisor > 1 %}
    CAST(COALESCE(SUM(persons.score), 0) AS DOUBLE) / {{ divisor }} AS score_total,
    CAST(MAX(persons.score) AS DOUBLE) / {{ divisor }} AS score_max,
    CAST(SUM(persons.score) AS DOUBLE) / (COUNT(persons.id) * {{ divisor }}) AS score_mean,
{% else %}
    COALESCE(SUM(persons.score), 0) AS score_total,
    MAX(persons.score) AS score_max,
    CAST(SUM(persons.score) AS DOUBLE) / COUNT(persons.id) AS score_mean,
{% endif %}
    MAX(persons.dis) AS dis_max,
    CAST(SUM(CAST(persons.dis AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(persons.id) AS dis_mean
FROM uniques, rows, records
LEFT JOIN suda_persons AS persons ON TRUE

-- name: suda_sizes
-- Counts the minimal uniques of each size, and the persons with one.
SELECT
    BIT_COUNT(uniques.mask) AS size,
    COUNT(*) AS minimal_uniques,
    COUNT(DISTINCT rows.id) AS persons
FROM suda_uniques AS uniques
JOIN lattice_rows AS rows ON rows.member = uniques.member
GROUP BY size
ORDER BY size

-- name: suda_thresholds
-- Counts the persons with at least some risks by data intrusion simulation.
SELECT levels.risk, COUNT(persons.id) AS records
FROM (VALUES (CAST(0.01 AS DOUBLE)), (0.02), (0.05), (0.1), (0.2), (0.5)) AS levels (risk)
LEFT JOIN suda_persons AS persons ON persons.dis >= levels.risk
GROUP BY levels.risk
ORDER BY levels.risk

-- name: suda_sets
-- The attribute sets with most minimal uniques, small ones first.
-- takes: max_sets
WITH counted AS (
    SELECT
        uniques.mask,
        BIT_COUNT(uniques.mask) AS size,
        COUNT(*) AS minimal_uniques,
        COUNT(DISTINCT rows.id) AS persons
    FROM suda_uniques AS uniques
    JOIN lattice_rows AS rows ON rows.member = uniques.member
    GROUP BY uniques.mask
)
SELECT
    *,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY minimal_uniques DESC, size) AS reached
FROM counted
ORDER BY minimal_uniques DESC, size, mask
LIMIT {{ max_sets | literal }}

-- name: suda_records
-- The persons with the highest scores, with their smallest minimal uniques.
-- takes: max_sets, divisor
-- parameter sets: integer, minimal uniques of each at most
WITH listed AS (
    SELECT id, score, dis, member
    FROM suda_persons
    ORDER BY score DESC, id
    LIMIT {{ max_sets | literal }}
),
uniques AS (
    SELECT
        listed.member,
        COUNT(*) AS minimal_uniques,
        LIST(uniques.mask ORDER BY BIT_COUNT(uniques.mask), uniques.mask) AS masks
    FROM listed
    JOIN suda_uniques AS uniques ON uniques.member = listed.member
    GROUP BY listed.member
)
SELECT
    listed.id AS record,
    {% if divisor > 1 %}CAST(listed.score AS DOUBLE) / {{ divisor }} AS score{% else %}listed.score{% endif %},
    listed.dis,
    uniques.minimal_uniques,
    uniques.masks[:{{ sets }}] AS masks,
    LEN(list_filter(
        uniques.masks[{{ sets + 1 }}:], lambda mask: BIT_COUNT(mask) = BIT_COUNT(uniques.masks[{{ sets }}])))
        AS equal_to_last,
    (SELECT COUNT(*) FROM suda_persons) AS total,
    (SELECT COUNT(*) FROM suda_persons WHERE suda_persons.score >= (SELECT MIN(listed.score) FROM listed)) AS reached
FROM listed
JOIN uniques ON uniques.member = listed.member
ORDER BY listed.score DESC, listed.id

-- name: suda_attributes
-- The contribution of each attribute to all scores, and of each of its values.
--
-- definition: a minimal unique counts for each of its attributes, so that the shares add up to more than 1
--
-- takes: by_user
-- parameter columns: columns, the word that holds the field of each attribute
-- parameter fields: integers, the bits of each field in its word
WITH whole AS (
    SELECT SUM(score) AS score FROM suda_scores
),
summed AS (
{% for column in columns %}
    SELECT
        {{ loop.index0 }} AS position,
        {{ column | identifier }} & {{ fields[loop.index0] }} AS field,
        SUM(s{{ loop.index0 }}) AS score,
        CAST(SUM(n{{ loop.index0 }}) AS BIGINT) AS minimal_uniques,
        COUNT({% if by_user %}DISTINCT {% endif %}id) AS persons
    FROM suda_scores
    WHERE n{{ loop.index0 }} > 0
    GROUP BY field
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
people AS (
{% for column in columns %}
    SELECT {{ loop.index0 }} AS position, COUNT({% if by_user %}DISTINCT {% endif %}id) AS persons
    FROM suda_scores
    WHERE n{{ loop.index0 }} > 0
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT
    people.position,
    CAST(COALESCE(SUM(summed.score), 0) AS DOUBLE) / NULLIF(ANY_VALUE(whole.score), 0) AS contribution,
    CAST(COALESCE(SUM(summed.minimal_uniques), 0) AS BIGINT) AS minimal_uniques,
    ANY_VALUE(people.persons) AS persons,
    COUNT(summed.field) AS values_in_uniques,
    CAST(MAX(summed.score) AS DOUBLE) / NULLIF(ANY_VALUE(whole.score), 0) AS highest_value_contribution
FROM people
CROSS JOIN whole
LEFT JOIN summed ON summed.position = people.position
GROUP BY people.position
ORDER BY people.position

-- name: suda_values
-- The values of an attribute with the largest contribution to all scores, only at the user's request.
-- takes: max_sets, by_user
-- parameter position: integer, the attribute
-- parameter column: column, the word that holds its field
-- parameter field: integer, the bits of its field
-- parameter shift: integer, where in its word the field begins
-- parameter codes: column, the table with its numbered values
WITH whole AS (
    SELECT SUM(score) AS score FROM suda_scores
),
summed AS (
    SELECT
        ({{ column | identifier }} & {{ field }}) >> {{ shift }} AS code,
        SUM(s{{ position }}) AS score,
        CAST(SUM(n{{ position }}) AS BIGINT) AS minimal_uniques,
        COUNT({% if by_user %}DISTINCT {% endif %}id) AS persons
    FROM suda_scores
    WHERE n{{ position }} > 0
    GROUP BY code
)
SELECT
    CAST(codes.value AS VARCHAR) AS value,
    CAST(summed.score AS DOUBLE) / NULLIF(whole.score, 0) AS contribution,
    summed.minimal_uniques,
    summed.persons,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY summed.score DESC, summed.minimal_uniques DESC) AS reached
FROM summed
CROSS JOIN whole
LEFT JOIN {{ codes | identifier }} AS codes ON codes.code = summed.code
ORDER BY summed.score DESC, summed.minimal_uniques DESC, value NULLS LAST
LIMIT {{ max_sets | literal }}
