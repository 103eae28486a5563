-- nearness_scores
-- Makes the table of scores by distance alone, from the largest score on.
--
-- definition: score = -distance; of those that are alike the first in the population
-- source: Chen, Yu, Zhang and Fritz, GAN-Leaks, CCS 2020, where any function that falls with the distance serves
-- portable: yes
--
-- parameter name: column, the table
-- parameter candidates: relation, each candidate with its nearest record of the release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , -SQRT(squared_distance) AS score
    , ROW_NUMBER() OVER (ORDER BY squared_distance, record) AS place
FROM {{ candidates | relation }} AS candidates
