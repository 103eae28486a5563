-- knowledge
-- A column as an attacker knows it: coarser than its values.
--
-- source: Ito, section 4; coarser knowledge is an extension of it
-- runs: wide
--
-- parameter column: expression, a date or timestamp

-- name: as_narrow
-- A floating-point number of 64 bits where another table has such numbers in 32.
--
-- definition: a number that 32 bits hold becomes the number with the same shortest text in 32 bits:
--   0.10000000149011612, the widened 0.1 of 32 bits, is 0.1; other numbers stay unchanged
-- source: equality of numbers
--
-- parameter column: expression, a floating-point number of 64 bits
CASE WHEN CAST(TRY_CAST({{ column | expression }} AS FLOAT) AS DOUBLE) = {{ column | expression }}
    THEN CAST(CAST(CAST({{ column | expression }} AS FLOAT) AS STRING) AS DOUBLE) ELSE {{ column | expression }} END

-- name: as_json
-- A value as it is written in JSON.
--
-- definition: the value as JSON, in which a number and a text differ
-- source: equality of values that may be of any type, or whose type has several ways to write one value
--
-- parameter column: expression, any column
CAST(TO_JSON({{ column | expression }}) AS STRING)

-- name: as_text
-- A value as it is written.
--
-- definition: the value written as text
-- source: equality of values whose type has several ways to write one value
--
-- parameter column: expression, any column
CAST({{ column | expression }} AS STRING)

-- name: as_double
-- A floating-point number of 32 bits as one of 64.
--
-- definition: the number that is written alike: 0.1 is 0.1, where the nearest number of 32 bits would be
--   0.10000000149011612
-- source: equality of numbers; tables of the same numbers have them in 32 bits, in 64, and as text
--
-- parameter column: expression, a floating-point number of 32 bits
CAST(CAST({{ column | expression }} AS STRING) AS DOUBLE)

-- name: band
-- The band of a number.
--
-- definition: the largest multiple of the width that is not above the number. A number less than a billionth of the
--   width below a multiple counts as that multiple (0.3 in bands of 0.1); a number of 32 bits counts as its shortest
--   text
-- source: coarser knowledge, an extension of Ito
--
-- parameter column: expression, a number
-- parameter argument: number, the width of a band, above 0
FLOOR(CASE WHEN UPPER(TYPEOF({{ column | expression }})) = 'FLOAT'
    THEN CAST(CAST({{ column | expression }} AS STRING) AS DOUBLE) ELSE CAST({{ column | expression }} AS DOUBLE) END /
    {{ argument | literal }} + 0.000000001) * {{ argument | literal }} + 0

-- name: date
-- The calendar day of a moment.
--
-- definition: the date part of a timestamp, in UTC where it has a time zone
-- source: Ito, section 4 (purchase date)
--
-- takes: column
CAST({{ column | expression }} AS DATE)

-- name: hour
-- The hour of the day of a moment.
--
-- definition: hours since midnight, 0 to 23, in UTC where the moment has a time zone
-- source: coarser knowledge, an extension of Ito
--
-- parameter column: expression, a timestamp or time
CAST(EXTRACT(HOUR FROM {{ column | expression }}) AS INTEGER)

-- name: month
-- The calendar month of a date.
--
-- definition: the first day of the month
-- source: coarser knowledge, an extension of Ito
--
-- takes: column
CAST(DATE_TRUNC('month', {{ column | expression }}) AS DATE)

-- name: number
-- A floating-point number, with minus zero taken as zero.
--
-- definition: the number itself
-- source: equality of numbers; -0.0 and 0.0 are equal but are written differently
--
-- parameter column: expression, a floating-point number
{{ column | expression }} + 0

-- name: prefix
-- The first characters of a text or code.
--
-- definition: the first n characters of the value written as text
-- source: PWS Cup 2017 (item codes cut to two characters); coarser knowledge, an extension of Ito
--
-- parameter column: expression, any column
-- parameter argument: integer, n, number of known characters
SUBSTR(CAST({{ column | expression }} AS STRING), 1, {{ argument | literal }})

-- name: time
-- The minute of the day of a moment.
--
-- definition: minutes since midnight, 0 to 1439, in UTC where the moment has a time zone
-- source: Ito, section 4 (purchase time)
--
-- parameter column: expression, a timestamp or time
CAST(EXTRACT(HOUR FROM {{ column | expression }}) * 60 + EXTRACT(MINUTE FROM {{ column | expression }}) AS INTEGER)

-- name: zoned_time
-- The minute of the day and the zone of a time of day that has one.
--
-- definition: the hour, the minute and the offset as they are written: 12:00+01 for 12:00:30+01. Times with different
--   offsets are different facts
-- source: Ito, section 4 (purchase time)
--
-- parameter column: expression, a time with its zone
SUBSTR(CAST({{ column | expression }} AS STRING), 1, 5)
    || REGEXP_EXTRACT(CAST({{ column | expression }} AS STRING), '[-+][0-9:]+$', 0)

-- name: week
-- The week of a date, by its Monday.
--
-- definition: the Monday on or before the date
-- source: coarser knowledge, an extension of Ito
--
-- takes: column
CAST(DATE_TRUNC('week', {{ column | expression }}) AS DATE)

-- name: year
-- The calendar year of a date.
--
-- definition: the year as a number
-- source: coarser knowledge, an extension of Ito
--
-- takes: column
CAST(EXTRACT(YEAR FROM {{ column | expression }}) AS INTEGER)
