-- treated_persons
-- Numbers the pseudonyms of the records that a treatment keeps: one a user, or one a user and period.
--
-- missing: a missing period is a period of its own
-- portable: no
--
-- parameter period: expression or none, the first day of a period, from the day; none for one pseudonym for all time
-- parameter deleted: integer, 1 where records are deleted
CREATE OR REPLACE TEMP TABLE persons AS
SELECT person, period, ROW_NUMBER() OVER () AS code, CAST(records AS BIGINT) AS records
FROM (
    SELECT person, {% if period is not none %}{{ period | expression }}{% else %}CAST(NULL AS DATE){% endif %} AS period, SUM(records) AS records
    FROM advice_people
{% if deleted %}
    WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = advice_people.tuple)
{% endif %}
    GROUP BY ALL
) AS pseudonyms
