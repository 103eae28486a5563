-- guess_bounds
-- Makes the table of targets with a bound: no record of the release further than that is nearest without one of the attributes.
--
-- definition: the least distance by all attributes, and a range, as an attribute adds a range at most
-- portable: no
--
-- parameter name: column, the table
-- parameter targets: relation, the targets
-- parameter released: relation, the records of the release
-- parameter distance: expression, of target and release
-- parameter unit: integer, so many parts a range has
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH bounds AS (
    SELECT target.target, MIN({{ distance | expression }}) + {{ unit }} AS bound
    FROM {{ targets | relation }} AS target
    CROSS JOIN {{ released | relation }} AS released
    GROUP BY target.target
)
SELECT targets.*, bounds.bound
FROM {{ targets | relation }} AS targets
JOIN bounds ON bounds.target = targets.target
