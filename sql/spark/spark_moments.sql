-- spark_moments
-- Periods of moments in Spark SQL.
--
-- idea: periods are computed from days, for Sail truncates moments as nanoseconds, which exist only from 1677 to 2262.
--   A week begins a multiple of seven days from Monday 1970-01-05: Sail's WEEKDAY is wrong before 1970.
-- source: as the statements without spark__
-- runs: wide
--
-- parameter column: expression, a date or timestamp

-- name: spark__week
-- The week of a date, by its Monday: as week.
--
-- missing: stays missing
--
-- takes: column
DATE_SUB(
    CAST({{ column | expression }} AS DATE),
    PMOD(DATEDIFF(CAST({{ column | expression }} AS DATE), DATE '1970-01-05'), 7)
)

-- name: spark__month
-- The calendar month of a date: as month.
--
-- missing: stays missing
--
-- takes: column
MAKE_DATE(YEAR({{ column | expression }}), MONTH({{ column | expression }}), 1)

-- name: spark__period_start
-- The first day of the period of a moment: as period_start.
--
-- missing: stays missing
--
-- takes: column
-- parameter unit: text, one of day, week, month, quarter, year
{% if unit == 'day' %}
CAST({{ column | expression }} AS DATE)
{% elif unit == 'week' %}
DATE_SUB(
    CAST({{ column | expression }} AS DATE),
    PMOD(DATEDIFF(CAST({{ column | expression }} AS DATE), DATE '1970-01-05'), 7)
)
{% elif unit == 'month' %}
MAKE_DATE(YEAR(CAST({{ column | expression }} AS DATE)), MONTH(CAST({{ column | expression }} AS DATE)), 1)
{% elif unit == 'quarter' %}
MAKE_DATE(YEAR(CAST({{ column | expression }} AS DATE)), 3 * QUARTER(CAST({{ column | expression }} AS DATE)) - 2, 1)
{% else %}
MAKE_DATE(YEAR(CAST({{ column | expression }} AS DATE)), 1, 1)
{% endif %}

-- name: spark__years_start
-- The first day of the years of a moment: as years_start.
--
-- missing: stays missing
--
-- takes: column
-- parameter years: integer, number of years
MAKE_DATE(
    YEAR(CAST({{ column | expression }} AS DATE)) - PMOD(YEAR(CAST({{ column | expression }} AS DATE)), {{ years }}),
    1,
    1
)

-- name: spark__years_cell
-- The years of a moment, as text: as years_cell.
--
-- missing: stays missing
--
-- parameter first_day: expression, the first day of the years
-- parameter years: integer, number of years
CONCAT(
    LPAD(CAST(YEAR({{ first_day | expression }}) AS STRING), 4, '0'),
    '-',
    CAST(YEAR({{ first_day | expression }}) + {{ years }} - 1 AS STRING)
)
