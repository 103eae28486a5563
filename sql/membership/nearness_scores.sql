-- nearness_scores
-- Makes the table of scores by distance alone.
--
-- definition: score = -distance
-- source: Chen, Yu, Zhang and Fritz, GAN-Leaks, CCS 2020, where any function that falls with the distance serves
-- portable: yes
--
-- parameter name: column, the table
-- parameter candidates: relation, each candidate with its nearest record of the release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , -SQRT(squared_distance) AS score
FROM {{ candidates | relation }} AS candidates
