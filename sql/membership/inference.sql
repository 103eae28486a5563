-- inference
-- Attacks that score each candidate by the likelihood that it was among the records behind a release.
--
-- source: PWS Cup 2020; GAN-Leaks, CCS 2020; DOMIAS, AISTATS 2023; Carlini et al., 2022
-- runs: finish
--
-- parameter name: column, the table
-- parameter population: relation, the candidates
-- parameter members: relation, the members' indexes in the population
-- parameter candidates: relation, each candidate with its nearest record of the release
-- parameter scores: relation, record, score and rank of every candidate
-- parameter guesses: integer, number of first ranks that are guessed

-- name: population_half
-- Creates the table of one half of the population, split by seed.
--
-- definition: the order of MD5(seed:record), every other record
--
-- takes: name
-- parameter source: relation, the population
-- parameter half: integer, number of the half
-- parameter limit: integer or none, largest number of records, the first in that order
-- parameter seed: integer, another seed deals anew
-- parameter columns: columns, of the records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH dealt AS (
    SELECT
        records.*
        , ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':', record)), record) - 1 AS turn
    FROM {{ source | relation }} AS records
)
SELECT record{% for column in columns %}, {{ column | identifier }}{% endfor %}

FROM dealt
WHERE MOD(turn, 2) = {{ half | literal }}{% if limit is not none %} AND turn < 2 * {{ limit | literal }}{% endif %}

-- name: true_members
-- Creates the table of the members' indexes in the population, by equality.
-- takes: name, population
-- parameter members: relation, the records that the release was made from
-- parameter columns: columns, the attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH named AS (
    SELECT {% for column in columns %}{{ column | identifier }}, {% endfor %}COUNT(*) AS times
    FROM {{ members | relation }} AS members
    GROUP BY {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

)
SELECT population.record, named.times,
    COUNT(*) OVER (
    PARTITION BY {% for column in columns %}{% if not loop.first %},
    {% endif %}population.{{ column | identifier }}{% endfor %}) AS candidates
FROM {{ population | relation }} AS population
JOIN named
    ON {% for column in columns %}{% if not loop.first %} AND {% endif %}named.{{ column | identifier }}
        = population.{{ column | identifier }}{% endfor %}

-- name: count_members
-- The number of members found in the population, and of records more frequent there than among the members.
-- takes: members
SELECT
    CAST(COUNT(*) AS BIGINT) AS found
    , CAST(COUNT(CASE WHEN candidates <> times THEN 1 END) AS BIGINT) AS unclear
FROM {{ members | relation }} AS members

-- name: distance_scores
-- Creates the table of scores by distance: candidates nearest to a record of the release first, then the others.
--
-- definition: a candidate nearest to a record of the release has the score -distance, for its least distance to such
--   a record. Every other candidate comes after these: its score is -(distance to its nearest record of the release +
--   gap). gap is twice the largest of all distances, or 1 if that is 0
-- source: PWS Cup 2020, sample attack by distance; candidates named once, and all of them ranked, are our own
--
-- takes: name, candidates
-- parameter released: relation, each record of the release with its nearest candidate
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH picked AS (
    SELECT neighbour AS record, SQRT(MIN(squared_distance)) AS distance
    FROM {{ released | relation }} AS released
    GROUP BY neighbour
),
distances AS (
    SELECT
        candidates.record
        , COALESCE(picked.distance, SQRT(candidates.squared_distance)) AS distance
        , picked.record IS NULL AS unpicked
    FROM {{ candidates | relation }} AS candidates
    LEFT JOIN picked ON picked.record = candidates.record
),
gaps AS (
    SELECT COALESCE(NULLIF(2 * MAX(distance), 0), 1) AS gap
    FROM distances
)
SELECT
    distances.record
    , -(distances.distance + CASE WHEN distances.unpicked THEN gaps.gap ELSE 0 END) AS score
FROM distances
CROSS JOIN gaps

-- name: nearness_scores
-- Creates the table of scores by distance alone.
--
-- definition: score = -distance
-- source: Chen, Yu, Zhang and Fritz, GAN-Leaks, CCS 2020, where any function that falls with the distance serves
--
-- takes: name, candidates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , -SQRT(squared_distance) AS score
FROM {{ candidates | relation }} AS candidates

-- name: calibrated_scores
-- Creates the table of scores by distance, calibrated on reference records: a rare record is far from all of them.
--
-- definition: score = distance to the nearest reference record - distance to the nearest record of the release
-- source: GAN-Leaks, CCS 2020, with the baselines of DOMIAS
--
-- takes: name, candidates
-- parameter references: texts, tables that hold together each candidate once, with its nearest reference record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH references_of AS (
{% for table in references %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT record, squared_distance FROM {{ table | relation }} AS part
{% endfor %}
)
SELECT
    candidates.record
    , SQRT(references_of.squared_distance) - SQRT(candidates.squared_distance) AS score
FROM {{ candidates | relation }} AS candidates
JOIN references_of ON references_of.record = candidates.record

-- name: density_scores
-- Creates the table of scores by density: the frequency of a candidate's values in the release and elsewhere.
--
-- definition: score = sum over blocks of attributes of ln(p_release / p_reference) with p = (count + 1) / (records +
--   K), K combinations of values of the block that occur in the release, the reference or the population
-- source: van Breugel et al., DOMIAS, AISTATS 2023; frequencies in blocks for its density models are our own
--
-- takes: name, population
-- parameter released: relation, the release
-- parameter reference: relation, records that were not in the release, or the population itself
-- parameter blocks: texts, the attributes of each block
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH totals AS (
    SELECT
        (SELECT COUNT(*) FROM {{ released | relation }} AS released) AS released
        , (SELECT COUNT(*) FROM {{ reference | relation }} AS reference) AS reference
)
{% for block in blocks %}
, values{{ loop.index0 }} AS (
    SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}SUM(released) AS released,
        SUM(reference) AS reference, COUNT(*) OVER () AS combinations
    FROM (
        SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}1 AS released, 0 AS reference
        FROM {{ released | relation }} AS records
        UNION ALL
        SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}0 AS released, 1 AS reference
        FROM {{ reference | relation }} AS records
        UNION ALL
        SELECT {% for column in block %}{{ column | identifier }}, {% endfor %}0 AS released, 0 AS reference
        FROM {{ population | relation }} AS records
    ) AS all_records
    GROUP BY {% for column in block %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

)
{% endfor %}
SELECT
    population.record
    , {% for block in blocks %}{% if not loop.first %} + {% endif %}
    LN(((values{{ loop.index0 }}.released + 1) / CAST(totals.released + values{{ loop.index0 }}.combinations AS DOUBLE))
        / ((values{{ loop.index0 }}.reference + 1)
            / CAST(totals.reference + values{{ loop.index0 }}.combinations AS DOUBLE))){% endfor %} AS score
FROM {{ population | relation }} AS population
CROSS JOIN totals
{% for block in blocks %}
{% set place = loop.index0 %}
JOIN values{{ place }}
    ON {% for column in block %}{% if not loop.first %} AND {% endif %}values{{ place }}.{{ column | identifier }}
        = population.{{ column | identifier }}{% endfor %}

{% endfor %}

-- name: likelihood_scores
-- Creates the table of scores by the likelihood of the release's statistic with and without the candidate.
--
-- definition: statistic = -ln(1 + distance). With both normals: score = ln(N(statistic; with) / N(statistic;
--   without)). With that of the shadows without the candidate alone: score = (statistic - mean) / deviation, which
--   orders the candidates as P(Z <= statistic) does, and still distinguishes them where a double rounds that to 0 or
--   1
-- source: Carlini et al., Membership inference attacks from first principles, 2022
--
-- takes: name, candidates
-- parameter fits: relation, the normal distributions of each candidate
-- parameter online: flag, compare with both distributions; else with the second alone
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH measured AS (
    SELECT
        fits.*
        , -LN(1 + SQRT(candidates.squared_distance)) AS statistic
    FROM {{ candidates | relation }} AS candidates
    JOIN {{ fits | relation }} AS fits ON fits.record = candidates.record
),
standing AS (
    SELECT
        record
        , (statistic - inside_mean) / inside_deviation AS inside
        , (statistic - outside_mean) / outside_deviation AS outside
        , LN(outside_deviation / inside_deviation) AS widths
    FROM measured
)
SELECT
    record
    , {% if online %}outside * outside / 2 - inside * inside / 2 + widths{% else %}outside{% endif %} AS score
FROM standing

-- name: guessed_records
-- The candidates that an attack guesses, highest score first.
-- takes: scores, guesses
SELECT record
FROM {{ scores | relation }} AS scores
WHERE place <= {{ guesses | literal }}
ORDER BY place

-- name: attacked_records
-- Creates the table of scored candidates and whether each is a member.
-- takes: name, members
-- parameter scores: relation, record and score of each candidate
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT scores.record, scores.score, members.record IS NOT NULL AS member
FROM {{ scores | relation }} AS scores
LEFT JOIN {{ members | relation }} AS members ON members.record = scores.record

-- name: exposed_scores
-- Creates the table of the scores of the most exposed candidates alone.
-- takes: name
-- parameter scores: relation, record, score and member of each candidate
-- parameter exposed: relation, the most exposed candidates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT scores.record, scores.score, scores.member
FROM {{ scores | relation }} AS scores
JOIN {{ exposed | relation }} AS exposed ON exposed.record = scores.record

-- name: guess_hits
-- The number of members among the first guesses of an attack.
--
-- definition: accuracy = hits / guesses; lift = accuracy / (members / candidates)
-- source: PWS Cup 2020, scoring
-- missing: members that were not scored are not counted; no lift without members
--
-- takes: members, guesses
-- parameter scores: relation, record and rank of every candidate
WITH counted AS (
    SELECT
        COUNT(*) AS candidates
        , COUNT(members.record) AS members
        , COUNT(CASE WHEN scores.place <= {{ guesses }} THEN 1 END) AS guesses
        , COUNT(CASE WHEN scores.place <= {{ guesses }} THEN members.record END) AS hits
    FROM {{ scores | relation }} AS scores
    LEFT JOIN {{ members | relation }} AS members ON members.record = scores.record
)
SELECT
    candidates
    , members
    , guesses
    , hits
    , CAST(hits AS DOUBLE) / NULLIF(guesses, 0) AS accuracy
    , CAST(hits AS DOUBLE) * candidates / NULLIF(CAST(guesses AS DOUBLE) * members, 0) AS lift
FROM counted

-- name: write_scores
-- Writes the guesses of an attack, or the scores of all candidates.
--
-- takes: scores
-- parameter columns: columns, that are written
-- parameter guesses: integer or none, number of first ranks; none writes all candidates, in their order
-- parameter path: text, the file
-- parameter options: expression, of the file's format
COPY (
    SELECT {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

    FROM {{ scores | relation }} AS scores
{% if guesses is not none %}
    WHERE place <= {{ guesses | literal }}
    ORDER BY place
{% else %}
    ORDER BY record
{% endif %}
) TO {{ path | literal }} ({{ options | expression }}, USE_TMP_FILE FALSE)
