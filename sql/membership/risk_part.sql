-- risk_part
-- What one attribute adds to the distance of two records.
--
-- missing: a missing value is a range away from all but another missing one
-- portable: no
--
-- parameter left: column, the one table
-- parameter right: column, the other
-- parameter place: integer, the attribute
-- parameter numeric: integer, 1 for one of numbers
-- parameter unit: integer, so many parts a range has
{% if numeric %}
LEAST(ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}), CAST({{ unit | literal }} AS BIGINT))
{% else %}
CASE WHEN {{ left | identifier }}.c{{ place }} <> {{ right | identifier }}.c{{ place }} THEN CAST({{ unit | literal }} AS BIGINT) ELSE 0 END
{% endif %}
