-- classifier_means
-- What the classifiers of members, and those of others, make of the release in the mean.
--
-- definition: means and standard deviations (divisor n) of the scores, as in the report's table
-- source: the small experiment of the report on PWS Cup 2020
-- missing: no value (NULL) without a target of a kind
-- portable: no
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
