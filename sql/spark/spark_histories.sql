-- spark_histories
-- The risk from several known records, on a distributed engine: as known_records.
--
-- idea: the engine draws the attackers as known_records does, searches the users with all known values, and returns
--   the number of attackers by number of fitting users; the figures follow from these. Tests hold the two equal.
-- source: as known_records
-- runs: finish
-- makes: drawn_users, picked_values, attackers_left
--
-- parameter source: relation, the records
-- parameter user: column, the person behind a record
-- parameter attribute: attribute, the value that the attacker learns of each record
-- parameter known: integer, the largest number of known records, 1 to 16
-- parameter seed: integer, chooses the draws

-- name: drawn_users
-- The target of each attacker: a user with twice the records is drawn twice as often.
--
-- definition: attacker d has the record at the middle of the d-th of equal parts of all records
-- runs: wide
--
-- takes: source, user, attribute, seed
-- parameter draws: integer, number of drawn attackers
CREATE OR REPLACE TEMP TABLE drawn_users AS
WITH history AS (
    SELECT {{ user | identifier }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
users AS (
    SELECT user_id, COUNT(*) AS records
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY user_id
),
ranges AS (
    SELECT
        user_id,
        records,
        CAST(SUM(records) OVER (
            ORDER BY MD5(
                '{{ seed | literal }} '
                || CASE CAST(user_id AS STRING) WHEN '-0.0' THEN '0.0' ELSE CAST(user_id AS STRING) END),
                user_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) - records AS records_before,
        CAST(SUM(records) OVER () AS DOUBLE) AS all_records
    FROM users
),
offered AS (
    SELECT
        user_id,
        records,
        records_before,
        all_records,
        EXPLODE(SEQUENCE(
            CAST(FLOOR(records_before * {{ draws | literal }} / all_records - 0.5) AS BIGINT),
            CAST(CEIL((records_before + records) * {{ draws | literal }} / all_records - 0.5) AS BIGINT)
        )) AS draw
    FROM ranges
)
SELECT draw, user_id, records
FROM offered
WHERE draw BETWEEN 0 AND {{ draws | literal }} - 1
    AND CAST(FLOOR((draw + CAST(0.5 AS DOUBLE)) * all_records / {{ draws | literal }}) AS BIGINT)
        BETWEEN records_before AND records_before + records - 1

-- name: picked_values
-- The values known to each attacker, in the order in which they are learned.
--
-- runs: wide
--
-- takes: source, user, attribute, known, seed
CREATE OR REPLACE TEMP TABLE picked_values AS
WITH history AS (
    SELECT {{ user | identifier }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
tries AS (
    SELECT draw, user_id, records,
        EXPLODE(SEQUENCE(CAST(0 AS BIGINT), LEAST(records, {{ 4 * known + 4 }}) - 1)) AS attempt
    FROM drawn_users
),
candidates AS (
    SELECT
        draw,
        user_id,
        CASE WHEN records <= {{ 4 * known + 4 }} THEN attempt
             ELSE CAST(CONV(
                 SUBSTR(MD5('{{ seed | literal }} ' || CAST(draw AS STRING) || ' ' || CAST(attempt AS STRING)), 1, 15),
                 16, 10) AS BIGINT) % records
        END AS place,
        MD5('{{ seed | literal }} order ' || CAST(draw AS STRING) || ' ' || CAST(attempt AS STRING)) AS turn
    FROM tries
),
different AS (
    SELECT draw, user_id, place, MIN(turn) AS turn
    FROM candidates
    GROUP BY draw, user_id, place
),
ordered AS (
    SELECT draw, user_id, place, ROW_NUMBER() OVER (PARTITION BY draw ORDER BY turn, place) AS turn
    FROM different
),
counted AS (
    SELECT history.user_id, history.value, COUNT(*) AS records
    FROM history
    JOIN (SELECT DISTINCT user_id FROM drawn_users) AS drawn ON drawn.user_id = history.user_id
    WHERE history.value IS NOT NULL
    GROUP BY history.user_id, history.value
),
own_values AS (
    SELECT
        user_id,
        value,
        records,
        CAST(SUM(records) OVER (
            PARTITION BY user_id ORDER BY value
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) - records AS records_before
    FROM counted
)
SELECT ordered.draw, CAST(ordered.turn AS BIGINT) AS turn, own_values.value
FROM ordered
JOIN own_values ON own_values.user_id = ordered.user_id
WHERE ordered.turn <= {{ known | literal }}
    AND ordered.place BETWEEN own_values.records_before AND own_values.records_before + own_values.records - 1

-- name: attackers_left
-- Counts the attackers by the number of users that fit their known records.
--
-- definition: a user fits if they have each value that the attacker has learned
-- runs: wide
--
-- takes: source, user, attribute, known
CREATE OR REPLACE TEMP TABLE attackers_left AS
WITH history AS (
    SELECT {{ user | identifier }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
sought AS (
    SELECT DISTINCT value FROM picked_values
),
holders AS (
    SELECT DISTINCT history.user_id, history.value
    FROM history
    JOIN sought ON sought.value = history.value
    WHERE history.user_id IS NOT NULL
),
-- Each user is a bit of a word: 60 of them are one row. The parts are numbered by as many workers.
placed AS (
    SELECT user_id, part, ROW_NUMBER() OVER (PARTITION BY part ORDER BY user_id) - 1 AS place
    FROM (SELECT user_id, PMOD(XXHASH64(user_id), 64) AS part FROM holders GROUP BY user_id) AS parts
),
words AS (
    SELECT
        holders.value,
        placed.part,
        CAST(FLOOR(placed.place / 60) AS BIGINT) AS word,
        SUM(SHIFTLEFT(CAST(1 AS BIGINT), CAST(placed.place % 60 AS INTEGER))) AS users
    FROM holders
    JOIN placed ON placed.user_id = holders.user_id
    GROUP BY holders.value, placed.part, CAST(FLOOR(placed.place / 60) AS BIGINT)
),
learned AS (
    SELECT draw, turn, value, MAX(turn) OVER (PARTITION BY draw) AS most
    FROM picked_values
),
fits AS (
    SELECT learned.draw, learned.most,
        {{ range(1, known + 1) | each("MAX(CASE WHEN learned.turn = {x} THEN words.users ELSE 0 END) AS has{x}") }}

    FROM learned
    JOIN words ON words.value = learned.value
    GROUP BY learned.draw, learned.most, words.part, words.word
),
remaining AS (
    SELECT draw{% for size in range(1, known + 1) %},
        CAST(SUM(BIT_COUNT(
        has1{% for turn in range(2, size + 1) %}
        & CASE WHEN most < {{ turn }} THEN has1 ELSE has{{ turn }} END{% endfor %})) AS BIGINT)
        AS users{{ size }}{% endfor %}

    FROM fits
    GROUP BY draw
)
SELECT COUNT(*) AS draws{% for size in range(1, known + 1) %}, users{{ size }}{% endfor %}

FROM remaining
GROUP BY {{ range(1, known + 1) | each("users{x}") }}


-- name: known_records_left
-- The figures of known_records, from the attackers by number of fitting users.
--
-- takes: known
-- parameter confidence: number, of the intervals: 0.80, 0.90, 0.95 or 0.99; no ends for others
WITH by_users AS (
{% for size in range(1, known + 1) %}
    SELECT {{ size }} AS known, users{{ size }} AS users, SUM(draws) AS draws FROM attackers_left
    GROUP BY users{{ size }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
-- include: known_records_figures
