-- user_and_day
-- A user and a day of theirs, as one value.
--
-- definition: both together
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- portable: no
--
-- parameter column: column, the user
-- parameter day: expression, the day of a record
ROW({{ column | identifier }}, {{ day | expression }})
