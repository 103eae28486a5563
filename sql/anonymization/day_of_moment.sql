-- day_of_moment
-- The day that a moment lies in.
--
-- definition: a moment without its time of day; days, weeks and longer periods follow from it
-- source: truncation of dates
-- missing: stays missing
-- portable: yes
--
-- parameter column: column, of dates or moments
CAST({{ column | identifier }} AS DATE)
