-- treatment
-- Treats a history of the contest, and examines the rules on anonymously processed information.
--
-- source: the paper of PWS Cup 2017, section 1; article 34 (formerly 19) of the enforcement rules
-- runs: finish

-- name: count_released
-- The number of records left in a release, and of those whose pseudonym is a user of the original.
--
-- missing: a record without a pseudonym is deleted
--
-- parameter source: relation, the release
-- parameter user: column, its pseudonyms
-- parameter users: relation, the users of the original
SELECT COUNT(released.{{ user | identifier }}) AS "left", COUNT(users.user_id) AS customers
FROM {{ source | relation }} AS released
LEFT JOIN {{ users | relation }} AS users ON users.user_id = released.{{ user | identifier }}

-- name: false_order
-- Exchanges the records of persons within a period: Yamaoka's anonymisation.
--
-- definition: in each period the users with equally many records form a circle in random order; the n-th record of
--   each takes the index of the n-th record of the next user. A user with a unique number of records stays
-- source: the paper of PWS Cup 2017, section 1 (records are all there, but which was which is told falsely); Kikuchi et
--   al., PWSCUP, CSS 2016
-- missing: a record that is none of the history stays
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

-- name: release_evidence
-- The figures of a release that the rules on anonymously processed information concern.
--
-- definition: pseudonyms, the number of periods of each, and those of several users; items of one record alone;
--   records with a price beyond the limits; misplaced records: day, time, item, price and quantity are all those of a
--   record of another user in the period and not all those of the record of the same index (Yamaoka's anonymisation,
--   hidden if values are changed as well)
-- source: article 34 (formerly 19) of the enforcement rules as the contest of 2017 reads it
-- missing: deleted records are not looked at; a missing price is not beyond
--
-- parameter original: relation, the original as a standard history
-- parameter release: relation, the release aligned with it
-- parameter is_within_limits: expression, whether a price is within the limits
WITH kept AS (
    SELECT
        original.user_id
        , released.record
        , released.pseudonym
        , released.period
        , released.day
        , released.item
        , released.clock
        , released.price
        , released.quantity
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS released ON released.record = original.record
    WHERE released.pseudonym IS NOT NULL
),
pseudonyms AS (
    SELECT pseudonym, COUNT(DISTINCT period) AS periods, COUNT(DISTINCT user_id) AS users
    FROM kept
    GROUP BY pseudonym
),
items AS (
    SELECT item, COUNT(*) AS records
    FROM kept
    GROUP BY item
),
cells AS (
    SELECT record, user_id, 0 AS side, period, day, item, clock, price, quantity
    FROM {{ original | relation }} AS original
    UNION ALL
    SELECT record, user_id, 1 AS side, period, day, item, clock, price, quantity
    FROM kept
),
told AS (
    SELECT
        record
        , user_id
        , side
        , ROW(period, day, item, COALESCE(clock, ''), COALESCE(price, ''), COALESCE(CAST(quantity AS VARCHAR), ''))
            AS cells
    FROM cells
),
holders AS (
    SELECT cells, user_id FROM told WHERE side = 0 GROUP BY cells, user_id
),
misplaced AS (
    SELECT DISTINCT released.record
    FROM told AS released
    JOIN told AS own ON own.record = released.record AND own.side = 0 AND own.cells <> released.cells
    JOIN holders ON holders.cells = released.cells AND holders.user_id <> released.user_id
    WHERE released.side = 1
)
SELECT
    COUNT(*) AS pseudonyms
    , CAST(SUM(periods) AS DOUBLE) / NULLIF(COUNT(*), 0) AS mean_periods
    , COALESCE(MAX(periods), 0) AS most_periods
    , COUNT(CASE WHEN users > 1 THEN 1 END) AS shared_pseudonyms
    , (SELECT COUNT(*) FROM items WHERE records = 1) AS items_bought_once
    , (
        SELECT COUNT(*)
        FROM kept
        WHERE NOT {{ is_within_limits | expression }}
    ) AS prices_beyond
    , (SELECT COUNT(*) FROM misplaced) AS misplaced_records
FROM pseudonyms
