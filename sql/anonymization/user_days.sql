-- user_days
-- Makes the table of users and the days of their records.
--
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a record without a user is left out; a missing day is a day of its own
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, of the users
-- parameter day: expression, the day of a record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    {{ column | identifier }} AS person
    , {{ day | expression }} AS moment
FROM {{ source | relation }} AS records
WHERE {{ column | identifier }} IS NOT NULL
GROUP BY person, moment
