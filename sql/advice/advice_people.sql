-- advice_people
-- The combinations of values that each user has on each day.
--
-- missing: records without a user are left out
-- portable: no
--
-- parameter columns: integer, how many columns have numbered values
CREATE OR REPLACE TEMP TABLE advice_people AS
SELECT advice_tuples.tuple, advice_records.person, advice_records.day, advice_records.records
FROM advice_records
JOIN advice_tuples
    ON advice_tuples.present = advice_records.present
{% for i in range(columns) %}
    AND advice_tuples.c{{ i }} = advice_records.c{{ i }}
{% endfor %}
WHERE advice_records.person IS NOT NULL
