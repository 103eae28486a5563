-- suda
-- Special uniques: for each record that is alone on a small attribute set, its score and the smallest such set.
--
-- definition: a minimal unique is a smallest attribute set on which no other record has the same values; one of s of m
--   attributes scores (m - s) (m - s - 1) ... (m - M), M being max_size, m - 1 at most, and the score adds these up. With U
--   records unique on all attributes, P in classes of two, the fraction d, Q = 1 + (8 - m) / 20, D = U d / (U d + P (1 - d)) and
--   A = the sum of score ^ -Q, dis = 1 / (1 + (U / D - U) / (score ^ Q A)). It examines all sets of up to max_size of at most
--   20 attributes, one by one; duckrisk assess has what prunes them, and users.
-- source: Elliot, Manning and Ford, 2002; Elliot, 2002, as in sdcMicro
-- missing: a missing value is a value like another; duckrisk assess has the other rules
-- read: a high score means that few attributes are enough, or many sets of them; dis is the chance that a match of
--   the record with the population is right
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes an attacker may know
-- parameter max_size: integer, attributes of a set at most
-- parameter sampling_fraction: number, the share of the population that the records are
--
-- column record: BIGINT, number, of the record in the order of the source
-- column score: BIGINT, score, 1 or more
-- column dis: DOUBLE, probability, by data intrusion simulation
-- column minimal_uniques: BIGINT, sets, minimal uniques of the record
-- column attributes: VARCHAR[], names, its smallest minimal unique; of several the first as a binary number
WITH records AS (
    SELECT
        ROW_NUMBER() OVER () AS record
{% for column in columns %}
        , {{ column | identifier }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
{% for column in columns %}
codes{{ loop.index0 }} AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v{{ loop.index0 }} AS value FROM records) AS different
    WHERE value IS NOT NULL
),
{% endfor %}
combinations AS MATERIALIZED (
    SELECT
        COUNT(*) AS records,
        CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(record) END AS record
{% for column in columns %}
        , COALESCE(codes{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
    FROM records
{% for column in columns %}
    LEFT JOIN codes{{ loop.index0 }} ON codes{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
    GROUP BY {% for column in columns %}COALESCE(codes{{ loop.index0 }}.code, 0){% if not loop.last %}, {% endif %}{% endfor %}

),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name, CAST(1 AS BIGINT) << (place - 1) AS bit
    FROM (SELECT [{% for column in columns %}{{ column | literal }}{% if not loop.last %}, {% endif %}{% endfor %}] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << {{ columns | length }})) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= {{ max_size | literal }}
),
uniques AS MATERIALIZED (
    SELECT mask, ANY_VALUE(record) AS record
    FROM combinations
    CROSS JOIN sets
    GROUP BY mask{% for column in columns %}, CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

    HAVING COUNT(*) = 1 AND COUNT(record) = 1
),
larger AS (
    SELECT DISTINCT uniques.record, uniques.mask | attributes.bit AS mask
    FROM uniques
    JOIN attributes ON (uniques.mask & attributes.bit) = 0
),
weights AS (
    SELECT
        size,
        LIST_REDUCE(
            LIST_PREPEND(CAST(1 AS HUGEINT), [CAST({{ columns | length }} - one AS HUGEINT) FOR one IN RANGE(size, LEAST({{ max_size | literal }}, {{ columns | length }} - 1) + 1)]),
            lambda product, factor: product * factor
        ) AS weight
    FROM (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS size) AS numbers
),
scores AS MATERIALIZED (
    SELECT
        minimal.record,
        CAST(SUM(weights.weight) AS BIGINT) AS score,
        COUNT(*) AS minimal_uniques,
        ARG_MIN(minimal.mask, (BIT_COUNT(minimal.mask), minimal.mask)) AS mask
    FROM (
        SELECT uniques.record, uniques.mask
        FROM uniques
        WHERE NOT EXISTS (SELECT 1 FROM larger WHERE larger.record = uniques.record AND larger.mask = uniques.mask)
    ) AS minimal
    JOIN weights ON weights.size = BIT_COUNT(minimal.mask)
    GROUP BY minimal.record
),
weighed AS (
    SELECT score, COUNT(*) AS n, POWER(CAST(score AS DOUBLE), 1 + (8 - {{ columns | length }}) / 20) AS weight
    FROM scores
    GROUP BY score
),
totals AS (
    SELECT
        alone,
        alone * {{ sampling_fraction | literal }} / (alone * {{ sampling_fraction | literal }} + paired * (1 - {{ sampling_fraction | literal }})) AS matched,
        (SELECT SUM(n / weight ORDER BY score) FROM weighed) AS spread
    FROM (
        SELECT
            CAST(COUNT(CASE WHEN records = 1 THEN 1 END) AS DOUBLE) AS alone,
            CAST(COALESCE(SUM(CASE WHEN records = 2 THEN 2 END), 0) AS DOUBLE) AS paired
        FROM combinations
    ) AS counted
)
SELECT
    scores.record,
    scores.score,
    1 / (1 + (totals.alone / totals.matched - totals.alone) / (weighed.weight * totals.spread)) AS dis,
    scores.minimal_uniques,
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE (scores.mask & attributes.bit) <> 0) AS attributes
FROM scores
JOIN weighed ON weighed.score = scores.score
CROSS JOIN totals
ORDER BY scores.score DESC, scores.record
