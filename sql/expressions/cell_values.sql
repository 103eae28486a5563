-- cell_values
-- Conditions on a value, and new forms of it.
--
-- source: treatments of single values
-- runs: finish
--
-- parameter column: column, the value
-- parameter limit: text, the limit
-- parameter kind: expression, the type of the column
-- parameter above: flag, the limit is an upper one
-- parameter way: text, one of whole, decimal, real, day, moment

-- name: is_present
-- Whether a value exists.
--
-- definition: a value, or what a record draws, is not missing
-- source: counts of what a step changes
-- runs: wide
--
-- parameter cell: expression, what may be missing
({{ cell | expression }}) IS NOT NULL

-- name: is_longer
-- Whether a text is longer than a prefix.
--
-- definition: length > n
-- source: counts of what a step changes
-- missing: is not
-- runs: wide
--
-- takes: column
-- parameter characters: integer, characters of the prefix
LENGTH(CAST({{ column | identifier }} AS VARCHAR)) > {{ characters | literal }}

-- name: is_within
-- Whether a number is between two limits, or equal to one.
--
-- definition: lower <= number <= upper
-- source: deletion of outlying records
-- missing: a missing value, or a text that is no number, is within
--
-- parameter column: column, the number, or a text of one
-- parameter lower: number, the lower limit
-- parameter upper: number, the upper limit
COALESCE(TRY_CAST({{ column | identifier }} AS DOUBLE) BETWEEN {{ lower | literal }} AND {{ upper | literal }}, TRUE)

-- name: is_outside
-- Whether the contest does not know a value.
--
-- definition: a number is not whole or outside the limits, a category is not in the list
-- source: PWS Cup 2020, rules
-- missing: there are no missing values
--
-- parameter column: column, of an encoded table
-- parameter numeric: flag, the values are numbers
-- parameter values: texts, the list, or the limits of numbers
{% if numeric %}
({{ column | identifier }} <> FLOOR({{ column | identifier }})
    OR {{ column | identifier }} NOT BETWEEN CAST({{ values[0] | literal }} AS DOUBLE)
        AND CAST({{ values[1] | literal }} AS DOUBLE))
{% else %}
{{ column | identifier }} NOT IN ({{ values | literals }})
{% endif %}

-- name: is_unlisted
-- Whether a value is not in a table.
--
-- definition: it is missing, or differs from all values of the table
-- source: deletion of outlying records
-- missing: is not in the table
--
-- parameter column: column, the value
-- parameter table: relation, the values
({{ column | identifier }} IS NULL
    OR {{ column | identifier }} NOT IN (SELECT value FROM {{ table | relation }} AS listed))

-- name: is_complete
-- Whether a record of a history has a user, a date and an item.
--
-- definition: none of them is missing or empty, and the user is not DEL
-- missing: a record without one of them is not part of the history
--
-- parameter user: column, the user of a record
-- parameter date: column, its date
-- parameter item: column, its item
(COALESCE(CAST({{ user | identifier }} AS VARCHAR), '') NOT IN ('', 'DEL')
    AND COALESCE(CAST({{ date | identifier }} AS VARCHAR), '') <> ''
    AND COALESCE(CAST({{ item | identifier }} AS VARCHAR), '') <> '')

-- name: survives
-- Whether a record is not deleted.
--
-- definition: its pseudonym is neither missing, nor empty, nor DEL
-- source: the deleted records of the contest of 2017
-- missing: a missing pseudonym is a deleted record
--
-- parameter column: column, the pseudonyms
COALESCE(CAST({{ column | identifier }} AS VARCHAR), '') NOT IN ('', 'DEL')

-- name: first_characters
-- The first characters of a value.
--
-- definition: the first n characters of its text
-- source: the partial tables of the contest of 2017
-- missing: stays missing
--
-- parameter column: column, the value
-- parameter characters: integer, n
LEFT(CAST({{ column | identifier }} AS VARCHAR), {{ characters }})

-- name: one_of_equals
-- A floating-point number in one spelling for all numbers that equal it.
--
-- definition: 0.0 for -0.0, NaN for every NaN, whatever its sign; any other number itself
-- source: equality of numbers; a file shows the sign
-- missing: stays missing
--
-- takes: column, kind
CASE
    WHEN ISNAN({{ column | identifier }}) THEN CAST('NaN' AS {{ kind | expression }})
    ELSE {{ column | identifier }} + 0
END

-- name: beyond_limit
-- Whether a value is above an upper limit, or below a lower one.
--
-- definition: value > limit, or value < limit
-- source: top and bottom coding
-- missing: is not
--
-- takes: column, limit, kind, above
{{ column | identifier }} {% if above %}>{% else %}<{% endif %} CAST({{ limit | literal }} AS {{ kind | expression }})

-- name: limited_cell
-- A value, or the limit if the value is beyond it.
--
-- definition: min(value, limit), or max(value, limit)
-- source: top and bottom coding
-- missing: stays missing
--
-- takes: column, limit, kind, above
CASE
    WHEN {{ column | identifier }}
        {% if above %}>{% else %}<{% endif %} CAST({{ limit | literal }} AS {{ kind | expression }})
    THEN CAST({{ limit | literal }} AS {{ kind | expression }})
    ELSE {{ column | identifier }}
END

-- name: cell_as_number
-- A value as a number with exact sums and means.
--
-- definition: the day of a date, the microsecond of a moment, a whole number of 128 bits, any other number itself
-- source: microaggregation
-- missing: stays missing; so does a day or a moment that is not finite
--
-- takes: way
-- parameter column: column, the value
{% if way == 'whole' %}
CAST({{ column | identifier }} AS HUGEINT)
{% elif way == 'real' %}
CAST({{ column | identifier }} AS DOUBLE)
{% elif way == 'day' %}
CASE WHEN ISFINITE({{ column | identifier }}) THEN CAST({{ column | identifier }} - DATE '1970-01-01' AS HUGEINT) END
{% elif way == 'moment' %}
CASE
    WHEN ISFINITE(CAST({{ column | identifier }} AS TIMESTAMP))
    THEN CAST(EPOCH_US(CAST({{ column | identifier }} AS TIMESTAMP)) AS HUGEINT)
END
{% else %}
{{ column | identifier }}
{% endif %}

-- name: mean_of_numbers
-- The mean of the numbers of a group.
--
-- definition: sum / count; for whole numbers rounded to a whole one, halves away from zero. Floating-point numbers are
--   added in ascending order, so that the sum is deterministic
-- source: microaggregation
--
-- takes: way
{% if way == 'real' %}
SUM(number ORDER BY number) / COUNT(*)
{% elif way == 'decimal' %}
CAST(SUM(number) AS DOUBLE) / COUNT(*)
{% else %}
(2 * SUM(number) + SIGN(SUM(number)) * COUNT(*)) // (2 * COUNT(*))
{% endif %}

-- name: mean_as_cell
-- The mean of a group as a value of the column.
--
-- definition: the reverse of cell_as_number, rounded to the column's places
-- source: microaggregation
--
-- takes: way, kind
{% if way == 'day' %}
DATE '1970-01-01' + CAST(mean AS INTEGER)
{% elif way == 'moment' %}
CAST(MAKE_TIMESTAMP(CAST(mean AS BIGINT)) AS {{ kind | expression }})
{% else %}
CAST(mean AS {{ kind | expression }})
{% endif %}
