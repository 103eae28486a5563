-- looking_up
-- What was looked up for a record in a table of values, labels or pseudonyms.
--
-- source: a table of the values, computed once for each
-- runs: finish

-- name: found_number
-- Whether a looked-up row has a record's number, or the number that it picked.
--
-- definition: equal numbers
-- source: perturbation and swapping
-- missing: finds nothing
--
-- parameter key: column, the number of the row
-- parameter number: expression, that of the record
looked_up.{{ key | identifier }} = {{ number | expression }}

-- name: found_label
-- Whether a row of a hierarchy is that of a value.
--
-- definition: the same text
-- source: value generalisation hierarchies
-- missing: finds nothing
--
-- parameter column: column, the value
looked_up.level0 = CAST(records.{{ column | identifier }} AS VARCHAR)

-- name: found_pseudonym
-- Whether a row of the table of pseudonyms is that of a record's user and period.
--
-- definition: the same user, and the same period where there are periods
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a missing user finds nothing; a missing period is a period of its own
-- runs: wide
--
-- parameter column: column, of the users
-- parameter period: expression or none, the period of a record
looked_up.person = records.{{ column | identifier }}{% if period is not none %} AND (looked_up.period IS NOT DISTINCT FROM {{ period | expression }}){% endif %}

-- name: looked_up_value
-- What was looked up for a value.
--
-- definition: what becomes of the value
-- source: a table of the values, computed once for each
-- missing: stays missing
looked_up.value

-- name: looked_up_label
-- The label that a looked-up hierarchy has for a value.
--
-- definition: the text on a level of the hierarchy
-- source: value generalisation hierarchies
-- missing: stays missing
--
-- parameter level: column, the level's column
looked_up.{{ level | identifier }}

-- name: looked_up_cell
-- What was looked up for a record, or its own cell where nothing was.
--
-- definition: the new value of the records that got one
-- source: perturbation and swapping
-- missing: a cell that nothing was looked up for stays as it is
--
-- parameter column: column, the cell
-- parameter key: column, that no looked-up row misses
CASE WHEN looked_up.{{ key | identifier }} IS NULL THEN {{ column | identifier }} ELSE looked_up.value END

-- name: looked_up_pseudonym
-- The pseudonym that was looked up for a record.
--
-- definition: the place of the user and the period in a random order
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a missing user has none
-- runs: wide
looked_up.pseudonym
