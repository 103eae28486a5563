-- count_relabelled
-- How many cells a column has, and how many of them a level of a hierarchy gives another text.
--
-- portable: yes
--
-- parameter levels: relation, the table of the hierarchy
-- parameter leaves: relation, the values of the column and how many cells each has
-- parameter cell: expression, the level
SELECT
    CAST(COALESCE(SUM(leaves.cells), 0) AS BIGINT) AS cells
    , CAST(COALESCE(SUM(CASE WHEN {{ cell | expression }} <> levels.level0 THEN leaves.cells ELSE 0 END), 0) AS BIGINT) AS changed
FROM {{ leaves | relation }} AS leaves
INNER JOIN {{ levels | relation }} AS levels ON levels.level0 = leaves.value
