-- count_unlisted
-- How many values of a column somebody's hierarchy has no line for.
--
-- portable: yes
--
-- parameter labels: column, the lines that were written
-- parameter leaves: column, the values of the column
SELECT
    COUNT(*) AS leaves
    , CAST(COALESCE(SUM(CASE WHEN labels.level0 IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT) AS unlisted
FROM {{ leaves | identifier }} AS leaves
LEFT JOIN {{ labels | identifier }} AS labels ON labels.level0 = leaves.value
