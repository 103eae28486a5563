-- first_period
-- The periods of a history: where the first begins and how many there are.
--
-- definition: all periods between the first and the last record count, also empty ones; a year of the contest is the twelve
--   months from the December in or before the first record on
-- missing: records without a date are left out
-- portable: no
--
-- parameter source: relation, the records
-- parameter unit: text, one of day, week, month, quarter
-- parameter contest: integer, 1 for a year of the contest
SELECT
    CAST(MIN(start) AS DATE) AS first_day
    , CAST(DATE_DIFF({{ unit | literal }}, MIN(start), MAX(begin)) + 1 AS INTEGER) AS periods
FROM (
    SELECT
        DATE_TRUNC({{ unit | literal }}, day) AS begin
        , {% if contest %}DATE_TRUNC('month', day) - TO_MONTHS(CAST(MONTH(day) % 12 AS INTEGER)){% else %}DATE_TRUNC({{ unit | literal }}, day){% endif %} AS start
    FROM {{ source | relation }} AS records
    WHERE day IS NOT NULL
) AS begun
