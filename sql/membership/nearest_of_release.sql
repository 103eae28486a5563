-- nearest_of_release
-- Makes the table of the nearest records of the release of each target, as many as are asked for.
--
-- definition: of those that are equally near the first; a distance and a record are one number, so that the least number has both
-- portable: no
--
-- parameter name: column, the table
-- parameter targets: relation, whose nearest are asked for
-- parameter released: relation, the records of the release
-- parameter distance: expression, of target and release
-- parameter span: integer, more than any number of a record
-- parameter neighbours: integer, so many
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT target.target, LIST_TRANSFORM(MIN(({{ distance | expression }}) * {{ span }} + released.record, {{ neighbours }}), lambda found: found % {{ span }}) AS nearest
FROM {{ targets | relation }} AS target
CROSS JOIN {{ released | relation }} AS released
GROUP BY target.target
