-- topdown_faults
-- How many groups are split so unevenly that they would take too many levels.
--
-- definition: one side is empty, or the group is large and one side has less than a small part of it
-- portable: yes
--
-- parameter share: integer, the smaller side has less than this part of the group
-- parameter most: integer, groups of no more records than this may be split so
WITH uneven AS (
    SELECT part
    FROM quasi_counts
    GROUP BY part
    HAVING COUNT(*) = 1 OR (SUM(records) > {{ most }} AND MIN(records) * {{ share }} < SUM(records))
)
SELECT COUNT(*) AS parts FROM uneven
