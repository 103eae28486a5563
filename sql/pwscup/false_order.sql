-- false_order
-- Puts the records of each person of a period in the places of another's: Yamaoka's anonymisation.
--
-- definition: in each period the users with equally many records stand in a circle in a drawn order; the first, second
--   ... record of each takes the place of the first, second ... record of the next one. A user whose number of records
--   nobody else has stays
-- source: the paper of PWS Cup 2017, section 1 (records are all there, but which was which is told falsely); Kikuchi et
--   al., PWSCUP, CSS 2016
-- missing: a record that is none of the history stays
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the release, its records numbered from 0
-- parameter original: relation, the original as a standard history, its records numbered from 1
-- parameter drawn: expression, the number that orders the users
-- parameter columns: columns, of the release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH people AS (
    SELECT user_id, period, COUNT(*) AS records, MIN(record) AS record
    FROM {{ original | relation }} AS original
    GROUP BY user_id, period
),
ordered AS (
    SELECT user_id, period, records, {{ drawn | expression }} AS place
    FROM people
),
circles AS (
    SELECT
        user_id
        , period
        , COALESCE(
            LEAD(user_id) OVER (PARTITION BY period, records ORDER BY place, user_id)
            , FIRST_VALUE(user_id) OVER (PARTITION BY period, records ORDER BY place, user_id)
        ) AS next_user
    FROM ordered
),
numbered AS (
    SELECT record, user_id, period, ROW_NUMBER() OVER (PARTITION BY user_id, period ORDER BY record) AS number
    FROM {{ original | relation }} AS original
),
moves AS (
    SELECT own.record - 1 AS record, other.record - 1 AS place
    FROM numbered AS own
    JOIN circles ON circles.user_id = own.user_id AND circles.period = own.period
    JOIN numbered AS other
        ON other.user_id = circles.next_user AND other.period = own.period AND other.number = own.number
)
SELECT
    COALESCE(moves.place, records.record) AS record
{% for column in columns %}
    , records.{{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
LEFT JOIN moves ON moves.record = records.record
ORDER BY COALESCE(moves.place, records.record)
