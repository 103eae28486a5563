-- near_records
-- Makes the table of the nearest candidate of each record that differs, exactly.
--
-- definition: of candidates that are equally near the first. Blocks whose box is further than the bound are not
--   looked at; the pairs of the others stream through and are never stored.
-- portable: no
--
-- parameter name: column, the table
-- parameter records: relation, whose nearest is asked for, with bounds
-- parameter candidates: relation, in blocks
-- parameter boxes: relation, of the blocks
-- parameter to_record: expression, the squared distance of asked and candidate
-- parameter to_box: expression, the bound of asked and box
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH looked_at AS (
    SELECT asked.*, box.block
    FROM {{ records | relation }} AS asked
    JOIN {{ boxes | relation }} AS box ON {{ to_box | expression }} <= asked.bound
),
pairs AS (
    SELECT asked.record, candidate.record AS neighbour, asked.bound, {{ to_record | expression }} AS squared_distance
    FROM looked_at AS asked
    JOIN {{ candidates | relation }} AS candidate ON candidate.block = asked.block
)
SELECT
    record
    , ARG_MIN(neighbour, ROW(squared_distance, neighbour)) AS neighbour
    , MIN(squared_distance) AS squared_distance
FROM pairs
WHERE squared_distance <= bound
GROUP BY record
