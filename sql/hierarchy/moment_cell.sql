-- moment_cell
-- The day, ISO week, month, quarter or year of a moment, as text: 2011-03-05, 2011-W10, 2011-03, 2011-Q1, 2011.
--
-- definition: strftime with the format of the unit; a quarter has none and is written after the year
-- source: truncation of dates
-- missing: stays missing
-- portable: no
--
-- parameter column: expression, a date, a timestamp, or a text of one
-- parameter format: text or none, of the unit; none for the quarter
{% if format is not none %}
STRFTIME(CAST({{ column | expression }} AS TIMESTAMP), {{ format | literal }})
{% else %}
CASE WHEN isfinite(CAST({{ column | expression }} AS TIMESTAMP)) THEN CONCAT(STRFTIME(CAST({{ column | expression }} AS TIMESTAMP), '%Y-Q'), QUARTER(CAST({{ column | expression }} AS TIMESTAMP))) ELSE CAST({{ column | expression }} AS VARCHAR) END
{% endif %}
