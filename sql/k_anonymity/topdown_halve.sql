-- topdown_halve
-- Splits the groups of an uneven split in the middle of their tuples, by how much better they fit the first side.
--
-- definition: tuples in the order of d0 - d1 and of their numbers; the one in the middle goes to side 0, the last to 1
-- portable: no
--
-- parameter share: integer, the smaller side has less than this part of the group
-- parameter most: integer, groups of no more records than this may be split so
CREATE OR REPLACE TEMP TABLE quasi_placed AS
WITH uneven AS MATERIALIZED (
    SELECT part, SUM(records) AS records
    FROM quasi_counts
    GROUP BY part
    HAVING COUNT(*) = 1 OR (SUM(records) > {{ most }} AND MIN(records) * {{ share }} < SUM(records))
),
ranked AS (
    SELECT
        placed.*,
        uneven.records,
        SUM(n) OVER (PARTITION BY part ORDER BY d0 - d1, tuple) - n AS before,
        ROW_NUMBER() OVER (PARTITION BY part ORDER BY d0 - d1 DESC, tuple DESC) AS last
    FROM quasi_placed AS placed
    JOIN uneven USING (part)
)
SELECT * FROM quasi_placed ANTI JOIN uneven USING (part)
UNION ALL BY NAME
SELECT * EXCLUDE (records, before, last) REPLACE (CASE WHEN before * 2 < records AND last > 1 THEN 0 ELSE 1 END AS side)
FROM ranked
