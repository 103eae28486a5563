-- sum_changed
-- How many values there are in a table of them, and how many cells change.
--
-- portable: yes
--
-- parameter source: relation, the values
SELECT
    COUNT(*) AS found
    , CAST(COALESCE(SUM(changed), 0) AS BIGINT) AS changed
FROM {{ source | relation }} AS cells
