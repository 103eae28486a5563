-- moments
-- Days and periods of moments.
--
-- source: truncation of dates
-- runs: finish
--
-- parameter column: expression, a date, a timestamp, or a text of one
-- parameter unit: text, one of day, week, month, quarter, year

-- name: day_of_moment
-- The day of a moment.
--
-- definition: a moment without its time of day
-- source: truncation of dates
-- missing: stays missing
--
-- parameter column: expression, a date or a moment
CAST({{ column | expression }} AS DATE)

-- name: in_microseconds
-- A moment in nanoseconds as one in microseconds.
--
-- definition: the last microsecond that is not after it. An engine would round, and the last nanosecond of a year would
--   be in the next year
-- source: truncation of dates
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, a moment in nanoseconds
CASE
    WHEN ISFINITE({{ column | expression }}) THEN MAKE_TIMESTAMP(
        EPOCH_NS({{ column | expression }}) // 1000
        - CASE WHEN EPOCH_NS({{ column | expression }}) % 1000 < 0 THEN 1 ELSE 0 END
    )
    ELSE CAST({{ column | expression }} AS TIMESTAMP)
END

-- name: clock_text
-- The time of day of a moment, for people.
--
-- definition: hours and minutes with two digits each: 20:10 for the minutes that an attacker knows as 1210
-- source: ISO 8601
-- missing: stays missing
-- runs: wide
--
-- parameter column: expression, a timestamp or time
LPAD(CAST(EXTRACT(HOUR FROM {{ column | expression }}) AS STRING), 2, '0')
    || ':' || LPAD(CAST(EXTRACT(MINUTE FROM {{ column | expression }}) AS STRING), 2, '0')

-- name: period_start
-- The first day of the period of a moment.
--
-- definition: date_trunc; weeks begin on Monday, as in ISO 8601
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: stays missing
-- runs: wide
--
-- takes: column, unit
CAST(DATE_TRUNC({{ unit | literal }}, CAST({{ column | expression }} AS TIMESTAMP)) AS DATE)

-- name: years_start
-- The first day of the years of a moment: of 2010 to 2014, if they are five.
--
-- definition: the years from the last one that the number of years divides
-- source: truncation of dates
-- missing: stays missing; a date that is not finite stays itself
-- runs: wide
--
-- takes: column
-- parameter years: integer, number of years
CASE
    WHEN ISFINITE(CAST({{ column | expression }} AS TIMESTAMP)) THEN MAKE_DATE(
        YEAR(CAST({{ column | expression }} AS TIMESTAMP))
        - (YEAR(CAST({{ column | expression }} AS TIMESTAMP)) % {{ years }} + {{ years }}) % {{ years }},
        1,
        1
    )
    ELSE CAST({{ column | expression }} AS DATE)
END

-- name: years_cell
-- The years of a moment, as text: 2010-2014.
--
-- definition: the first and the last of the years
-- source: truncation of dates
-- missing: stays missing; a date that is not finite stays itself
-- runs: wide
--
-- takes: column
-- parameter first_day: expression, the first day of the years
-- parameter years: integer, number of years
CASE
    WHEN ISFINITE(CAST({{ column | expression }} AS TIMESTAMP)) THEN CONCAT(
        STRFTIME({{ first_day | expression }}, '%Y-'),
        YEAR({{ first_day | expression }}) + {{ years }} - 1
    )
    ELSE CAST({{ column | expression }} AS VARCHAR)
END

-- name: life_start
-- The first day of the periods with one pseudonym.
--
-- definition: the periods from the first one on, in groups of equally many
-- source: pseudonyms that last for several periods (PWS Cup 2017)
-- missing: stays missing
--
-- takes: unit
-- parameter start: expression, the first day of a record's period
-- parameter first: relation, the first day of the first period
-- parameter life: integer, periods with one pseudonym
CAST(
    (SELECT first_day FROM {{ first | relation }})
    + {{ life }} * (DATE_DIFF(
        {{ unit | literal }}, (SELECT first_day FROM {{ first | relation }}), {{ start | expression }}
    ) // {{ life }}) * CASE {{ unit | literal }}
        WHEN 'day' THEN INTERVAL 1 DAY
        WHEN 'week' THEN INTERVAL 7 DAY
        WHEN 'month' THEN INTERVAL 1 MONTH
        WHEN 'quarter' THEN INTERVAL 3 MONTH
        ELSE INTERVAL 12 MONTH
    END AS DATE
)

-- name: moment_cell
-- The day, ISO week, month, quarter or year of a moment, as text: 2011-03-05, 2011-W10, 2011-03, 2011-Q1, 2011.
--
-- definition: strftime with the format of the unit; a quarter, which has none, is written after the year
-- source: truncation of dates
-- missing: stays missing
-- runs: wide
--
-- takes: column
-- parameter format: text or none, of the unit; none for the quarter
{% if format is not none %}
STRFTIME(CAST({{ column | expression }} AS TIMESTAMP), {{ format | literal }})
{% else %}
CASE
    WHEN isfinite(CAST({{ column | expression }} AS TIMESTAMP)) THEN CONCAT(
        STRFTIME(CAST({{ column | expression }} AS TIMESTAMP), '%Y-Q'),
        QUARTER(CAST({{ column | expression }} AS TIMESTAMP))
    )
    ELSE CAST({{ column | expression }} AS VARCHAR)
END
{% endif %}

-- name: user_and_day
-- A user and a day, as one value.
--
-- definition: both together
-- source: pseudonyms that last for a period (PWS Cup 2017)
--
-- parameter column: column, the user
-- parameter day: expression, the day of a record
ROW({{ column | identifier }}, {{ day | expression }})
