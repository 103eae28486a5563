-- neighbour_bounds
-- Makes the table of the records whose nearest is asked for, each with a bound: a candidate is as near as that.
--
-- definition: 0 where a candidate is equal; else the least distance to those of the block whose box is nearest
-- portable: no
--
-- parameter name: column, the table
-- parameter records: relation, whose nearest is asked for, with codes
-- parameter candidates: relation, in blocks
-- parameter boxes: relation, of the blocks
-- parameter keys: columns, the numbers and the words of packed codes
-- parameter to_record: expression, the squared distance of asked and candidate
-- parameter to_box: expression, the bound of asked and box
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH matched AS (
    SELECT asked.record
    FROM {{ records | relation }} AS asked
    JOIN {{ candidates | relation }} AS candidate
        ON {% for key in keys %}{% if not loop.first %} AND {% endif %}asked.{{ key | identifier }} = candidate.{{ key | identifier }}{% endfor %}

),
open AS (
    SELECT asked.*
    FROM {{ records | relation }} AS asked
    WHERE NOT EXISTS (SELECT 1 FROM matched WHERE matched.record = asked.record)
),
nearest_box AS (
    SELECT asked.record, ARG_MIN(box.block, {{ to_box | expression }}) AS block
    FROM open AS asked
    CROSS JOIN {{ boxes | relation }} AS box
    GROUP BY asked.record
),
bounds AS (
    SELECT record, 0.0::DOUBLE AS bound FROM matched
    UNION ALL
    SELECT asked.record, MIN({{ to_record | expression }}) AS bound
    FROM nearest_box
    JOIN open AS asked ON asked.record = nearest_box.record
    JOIN {{ candidates | relation }} AS candidate ON candidate.block = nearest_box.block
    GROUP BY asked.record
)
SELECT asked.*, bounds.bound
FROM {{ records | relation }} AS asked
JOIN bounds ON bounds.record = asked.record
