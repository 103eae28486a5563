-- distance_scores
-- Makes the table of scores by distance: how near the nearest record of the release is to each candidate.
--
-- definition: score = -distance. First come the candidates that are the nearest of a record of the release, by that
--   distance (nearness); then the others by their score
-- source: PWS Cup 2020, sample attack by distance; candidates named once, and all of them ranked, are our own
-- portable: yes
--
-- parameter name: column, the table
-- parameter candidates: relation, each candidate with its nearest record of the release
-- parameter released: relation, each record of the release with its nearest candidate
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH picked AS (
    SELECT neighbour AS record, MIN(squared_distance) AS squared_distance
    FROM {{ released | relation }} AS released
    GROUP BY neighbour
)
SELECT
    candidates.record
    , -SQRT(candidates.squared_distance) AS score
    , -SQRT(COALESCE(picked.squared_distance, candidates.squared_distance)) AS nearness
    , picked.record IS NULL AS unpicked
FROM {{ candidates | relation }} AS candidates
LEFT JOIN picked ON picked.record = candidates.record
