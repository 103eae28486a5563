-- day_pseudonyms
-- Makes the table of the pseudonyms that users have on the days of their records.
--
-- definition: that of the period that the day lies in
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a missing day is a period of its own
-- portable: no
--
-- parameter name: column, the table
-- parameter days: relation, the users and their days
-- parameter pseudonyms: relation, the users, their periods and their pseudonyms
-- parameter period: expression, the first day of the period of moment, which is the day
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    days.person
    , days.moment AS period
    , pseudonyms.pseudonym
FROM {{ days | relation }} AS days
JOIN {{ pseudonyms | relation }} AS pseudonyms
    ON pseudonyms.person = days.person AND (pseudonyms.period IS NOT DISTINCT FROM {{ period | expression }})
