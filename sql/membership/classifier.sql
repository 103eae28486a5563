-- classifier
-- Attack by classifiers, each trained on one target: their confidence in the records of the release.
--
-- idea: for each target, member or not, a classifier is trained to distinguish one copied record from records that
--   were not in the release. Its confidence in any record of the release is the score. The models are fitted outside
--   of SQL.
-- source: the small experiment of the report on PWS Cup 2020
-- runs: finish
--
-- parameter name: column, the table

-- name: classifier_targets
-- Creates the training table: each target, with records that were not in the release.
--
-- definition: targets are the first members, and the first of the others, in the order of MD5(seed:record). Each
--   target is compared with other records that follow the targets in that order, from one target to the next, again
--   from the first when all were taken.
-- source: the small experiment of the report on PWS Cup 2020
--
-- takes: name
-- parameter population: relation, the candidates
-- parameter members: relation, the members' indexes in the population
-- parameter targets: integer, number of members and of non-members among the targets
-- parameter others_per_target: integer, number of other records for each target
-- parameter seed: integer, another seed draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH placed AS (
    SELECT
        population.record
        , members.record IS NOT NULL AS member
        , ROW_NUMBER() OVER (
            PARTITION BY members.record IS NOT NULL
            ORDER BY MD5(CONCAT({{ seed | literal }}, ':', population.record)), population.record
        ) - 1 AS place
        , COUNT(*) OVER (PARTITION BY members.record IS NOT NULL) AS records
    FROM {{ population | relation }} AS population
    LEFT JOIN {{ members | relation }} AS members ON members.record = population.record
),
targets AS (
    SELECT record, member, ROW_NUMBER() OVER (ORDER BY member DESC, place) - 1 AS target
    FROM placed
    WHERE place < {{ targets | literal }}
),
slots AS (
    SELECT target, UNNEST(RANGE({{ others_per_target | literal }})) AS slot
    FROM targets
)
SELECT target, record, member, CAST(-1 AS BIGINT) AS slot
FROM targets
UNION ALL
SELECT slots.target, placed.record, FALSE AS member, slots.slot
FROM slots
JOIN placed
    ON NOT placed.member
    AND placed.place = {{ targets | literal }}
        + MOD(slots.target * {{ others_per_target | literal }} + slots.slot, placed.records - {{ targets | literal }})

-- name: target_features
-- The features of training: numbers and dummies of each target and of the records added to it.
--
-- definition: slot is -1 for the target itself; f0, f1, … in the order of dummies
-- source: the small experiment of the report on PWS Cup 2020
--
-- parameter targets: relation or none, the targets and their other records; none takes the records unchanged
-- parameter source: relation, the records
-- parameter columns: columns, the column of each feature
-- parameter category_ids: integers, index in the list of the category for which a feature is 1; none for a number
-- parameter category_lists: relation, the categories of each attribute as a list
SELECT
    {% if targets is none %}records.record{% else %}targets.target, targets.slot, targets.record,
        targets.member{% endif %}

-- include: feature_columns
{% if targets is none %}
ORDER BY records.record
{% else %}
JOIN {{ targets | relation }} AS targets ON targets.record = records.record
ORDER BY targets.target, targets.slot
{% endif %}

-- name: classifier_scores
-- Creates the table of the scores of targets.
--
-- definition: the score is the largest probability that the target's classifier gives a record of the release, or the
--   mean of the hundredth of largest ones
-- source: the small experiment of the report on PWS Cup 2020
--
-- takes: name
-- parameter records: integers, the targets' indexes in the population
-- parameter largest: texts, the largest probability of each
-- parameter means: texts, the mean of the hundredth of each
-- parameter rule: text, largest or mean
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH told AS (
    SELECT
        UNNEST(CAST({{ records | literal }} AS BIGINT[])) AS record
        , UNNEST(CAST({{ largest | literal }} AS DOUBLE[])) AS largest
        , UNNEST(CAST({{ means | literal }} AS DOUBLE[])) AS mean
)
SELECT
    record
    , {% if rule == 'mean' %}mean{% else %}largest{% endif %} AS score
FROM told

-- name: classifier_means
-- The mean prediction of the classifiers of members and of non-members for the release.
--
-- definition: means and standard deviations (divisor n) of the scores, as in the report's table
-- source: the small experiment of the report on PWS Cup 2020
-- missing: no value (NULL) without a target of a kind
--
-- parameter scores: relation, score and member of each target
SELECT
    CAST(AVG(CASE WHEN member THEN CAST(score AS DECIMAL(38, 18)) END) AS DOUBLE) AS members_mean
    , SQRT(GREATEST(
        CAST(AVG(CASE WHEN member THEN CAST(score * score AS DECIMAL(38, 18)) END) AS DOUBLE)
        - POWER(CAST(AVG(CASE WHEN member THEN CAST(score AS DECIMAL(38, 18)) END) AS DOUBLE), 2), 0
    )) AS members_deviation
    , CAST(AVG(CASE WHEN NOT member THEN CAST(score AS DECIMAL(38, 18)) END) AS DOUBLE) AS others_mean
    , SQRT(GREATEST(
        CAST(AVG(CASE WHEN NOT member THEN CAST(score * score AS DECIMAL(38, 18)) END) AS DOUBLE)
        - POWER(CAST(AVG(CASE WHEN NOT member THEN CAST(score AS DECIMAL(38, 18)) END) AS DOUBLE), 2), 0
    )) AS others_deviation
FROM {{ scores | relation }} AS scores
