-- count_periods
-- How many periods known and released records span.
--
-- portable: yes
--
-- parameter known: relation, the known records
-- parameter released: relation, the released records
SELECT CAST(COALESCE(MAX(period), 0) + 1 AS INTEGER) AS periods
FROM (
    SELECT period FROM {{ known | relation }} AS known
    UNION ALL
    SELECT period FROM {{ released | relation }} AS released
) AS both_sides
