-- generalization_loss
-- The loss of a release with deleted and generalized values, by column: the utility of PWS Cup 2018.
--
-- definition: the loss of a value is 0 if unchanged, 1 if deleted, 1 - 1/q for a set of q values, and ((a - x)^2 + (b
--   - x)^2 + (b - a)) / (2 (b - a + 1) sd) for the interval from a to b around x: the mean distance of x from the
--   integers of the interval, divided by the population standard deviation of x in the original. The loss of a column
--   is the mean over its values; mean_loss is the mean over the columns
-- source: the program of losses of PWS Cup 2018 (ut-il)
-- missing: a value without value, members and ends counts as unchanged. If all values of a column are equal, an
--   interval has no loss, and neither has the column nor the mean
-- read: 0 is the original. It is no share: an interval can cost more than a deleted value, which costs 1
-- runs: finish
--
-- parameter source: relation, the values of the release, a row each
-- parameter category: column, the column of the release of a value
-- parameter members: column, number of values of a set: 1 of a single one, 0 of a deleted value, missing for an
--   interval
-- parameter value: column, the true value, a whole number of steps: days, pence, pieces
-- parameter lower: column, the lower end of the interval
-- parameter upper: column, the upper end of the interval
--
-- column attribute: VARCHAR, column, of the release
-- column deleted: BIGINT, values, deleted ones
-- column sets: BIGINT, values, generalised to a set of several values
-- column intervals: BIGINT, values, generalised to an interval of more than one value
-- column deviation: DOUBLE, steps, the population standard deviation of the original's values; missing of a column of
--   sets
-- column loss: DOUBLE, loss, of the column
-- column mean_loss: DOUBLE, loss, the mean over all columns
WITH cells AS (
    SELECT
        CAST({{ category | identifier }} AS VARCHAR) AS attribute,
        TRY_CAST({{ members | identifier }} AS BIGINT) AS members,
        CAST(TRY_CAST({{ value | identifier }} AS BIGINT) AS HUGEINT) AS x,
        CAST(TRY_CAST({{ lower | identifier }} AS BIGINT) AS HUGEINT) AS a,
        CAST(TRY_CAST({{ upper | identifier }} AS BIGINT) AS HUGEINT) AS b
    FROM {{ source | relation }}
),
weighed AS (
    SELECT
        attribute, members, x,
        members IS NULL AND b > a AS is_interval,
        CASE WHEN members = 0 THEN 1 WHEN members > 1 THEN 1 - 1 / CAST(members AS DOUBLE) ELSE 0 END AS loss,
        ((a - x) * (a - x) + (b - x) * (b - x) + (b - a)) / CAST(2 * (b - a + 1) AS DOUBLE) AS distance
    FROM cells
),
-- Integers and decimals are summed: the order of the values does not matter.
sums AS (
    SELECT
        attribute,
        COUNT(*) AS cells,
        COUNT(CASE WHEN members = 0 THEN 1 END) AS deleted,
        COUNT(CASE WHEN members > 1 THEN 1 END) AS sets,
        COUNT(CASE WHEN is_interval THEN 1 END) AS intervals,
        CAST(SUM(CAST(loss AS DECIMAL(38, 18))) AS DOUBLE) AS losses,
        CAST(SUM(CASE WHEN is_interval THEN CAST(distance AS DECIMAL(38, 12)) END) AS DOUBLE) AS distances,
        SQRT(CAST(COUNT(x) * SUM(x * x) - SUM(x) * SUM(x) AS DOUBLE)) / NULLIF(COUNT(x), 0) AS deviation
    FROM weighed
    GROUP BY attribute
),
means AS (
    SELECT
        attribute, deleted, sets, intervals, deviation,
        (losses + CASE WHEN intervals = 0 THEN 0 ELSE distances / NULLIF(deviation, 0) END) / cells AS loss
    FROM sums
)
SELECT
    attribute, deleted, sets, intervals, deviation, loss,
    CASE
        WHEN COUNT(loss) OVER () = COUNT(*) OVER ()
            THEN CAST(SUM(CAST(loss AS DECIMAL(38, 18))) OVER () AS DOUBLE) / COUNT(*) OVER ()
    END AS mean_loss
FROM means
ORDER BY attribute NULLS LAST
