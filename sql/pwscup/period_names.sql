-- period_names
-- What the periods are called, in their order.
--
-- definition: 2024-05-31, 2024-W22, 2024-05 and 2024-Q2
-- portable: no
--
-- parameter unit: text, one of day, week, month, quarter
-- parameter first: text, the day that the first period begins with
-- parameter periods: integer, how many there are
-- parameter shown: expression, the name of the period that begins at the moment start
SELECT {{ shown | expression }} AS name
FROM (
    SELECT
        place
        , DATE_TRUNC({{ unit | literal }}, CAST({{ first | literal }} AS TIMESTAMP)) + CASE {{ unit | literal }}
            WHEN 'day' THEN TO_DAYS(CAST(place AS INTEGER))
            WHEN 'week' THEN TO_DAYS(CAST(7 * place AS INTEGER))
            WHEN 'month' THEN TO_MONTHS(CAST(place AS INTEGER))
            ELSE TO_MONTHS(CAST(3 * place AS INTEGER))
        END AS start
    FROM RANGE({{ periods }}) AS places(place)
) AS begun
ORDER BY place
