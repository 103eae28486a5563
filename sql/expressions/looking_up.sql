-- looking_up
-- Joins of records with a table of values, labels or pseudonyms, and the results.
--
-- source: a table of the values, computed once for each
-- runs: finish

-- name: found_number
-- Whether a row of the table has the number of a record, or the number that it draws.
--
-- definition: equal numbers
-- source: perturbation and swapping
-- missing: matches nothing
--
-- parameter key: column, the number of the row
-- parameter number: expression, that of the record
looked_up.{{ key | identifier }} = {{ number | expression }}

-- name: found_label
-- Whether a row of a hierarchy is that of a value.
--
-- definition: equal texts
-- source: value generalisation hierarchies
-- missing: matches nothing
--
-- parameter column: column, the value
looked_up.level0 = CAST(records.{{ column | identifier }} AS VARCHAR)

-- name: found_pseudonym
-- Whether a row of the table of pseudonyms is that of a record's user and period.
--
-- definition: the same user, and the same period if pseudonyms have periods
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a missing user matches nothing; a missing period is a period of its own
-- runs: wide
--
-- parameter column: column, of the users
-- parameter period: expression or none, the period of a record
looked_up.person = records.{{ column | identifier }}
{%- if period is not none %}
 AND (looked_up.period IS NOT DISTINCT FROM {{ period | expression }})
{%- endif %}

-- name: looked_up_value
-- The new value of a value.
--
-- definition: the value in the row of the table
-- source: a table of the values, computed once for each
-- missing: stays missing
looked_up.value

-- name: looked_up_label
-- The label of a value in a table of its hierarchy.
--
-- definition: the text at a level of the hierarchy
-- source: value generalisation hierarchies
-- missing: stays missing
--
-- parameter level: column, the level's column
looked_up.{{ level | identifier }}

-- name: looked_up_cell
-- The new value of a record, or its own value without one.
--
-- definition: the value in the matching row of the table, if there is one
-- source: perturbation and swapping
-- missing: a value without a matching row stays as it is
--
-- parameter column: column, the value
-- parameter key: column, present in every row of the table
CASE WHEN looked_up.{{ key | identifier }} IS NULL THEN {{ column | identifier }} ELSE looked_up.value END

-- name: looked_up_pseudonym
-- The pseudonym of a record.
--
-- definition: the index of the user and the period in a random order
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a missing user has none
-- runs: wide
looked_up.pseudonym
