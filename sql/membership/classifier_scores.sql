-- classifier_scores
-- Makes the table of the scores of targets.
--
-- definition: the score is the largest probability that the target's classifier gives a record of the release, or the mean of
--   the hundredth of largest ones
-- source: the small experiment of the report on PWS Cup 2020
-- portable: no
--
-- parameter name: column, the table
-- parameter records: integers, the targets' places in the population
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
