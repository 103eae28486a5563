-- standard_tables
-- The standard tables of a contest: history with periods, users, release with its original, partial table.
--
-- source: the rules and the check of the contest of 2017
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records as they are written
-- parameter unit: text, one of day, week, month, quarter
-- parameter users: relation, the users
-- parameter original: relation, the original as a standard history
-- parameter records: integer, as many the file of the original has

-- name: standard_history
-- The standard table of a history: its complete records with their periods.
--
-- definition: a record is its line in the file from 1; a period is its rank in time from 0
-- missing: records without user, date or item are left out; other empty values are missing
--
-- takes: name, source, unit
-- parameter start: relation, first day of the first period
-- parameter prefix: integer or none, number of first characters of items to keep
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , person AS user_id
    , CAST(DATE_DIFF({{ unit | literal }}, (SELECT first_day FROM {{ start | relation }}),
        DATE_TRUNC({{ unit | literal }}, day)) AS INTEGER) AS period
    , day
    , NULLIF(clock, '') AS clock
    , NULLIF(invoice, '') AS invoice
    , {% if prefix is not none %}LEFT(item, {{ prefix }}){% else %}item{% endif %} AS item
    , NULLIF(price, '') AS price
    , CAST(ROUND(TRY_CAST(quantity AS DECIMAL(27, 9))) AS BIGINT) AS quantity
FROM {{ source | relation }} AS records
WHERE NOT deleted AND person IS NOT NULL AND day IS NOT NULL AND item IS NOT NULL
ORDER BY record

-- name: first_period
-- The periods of a history: the beginning of the first and their number.
--
-- definition: all periods between the first and the last record count, also empty ones; a year of the contest is the
--   twelve months from the December in or before the first record on
-- missing: records without a date are left out
--
-- takes: unit
-- parameter source: relation, the records
-- parameter contest: flag, the year belongs to the contest
SELECT
    CAST(MIN(start) AS DATE) AS first_day
    , CAST(DATE_DIFF({{ unit | literal }}, MIN(start), MAX(begin)) + 1 AS INTEGER) AS periods
FROM (
    SELECT
        DATE_TRUNC({{ unit | literal }}, day) AS begin
        , {% if contest %}DATE_TRUNC('month', day)
            - TO_MONTHS(CAST(MONTH(day) % 12 AS INTEGER)){% else %}DATE_TRUNC({{ unit | literal }}, day){% endif %}
            AS start
    FROM {{ source | relation }} AS records
    WHERE day IS NOT NULL
) AS begun

-- name: begin_periods
-- Stores the first day of the first period; of several files the earliest.
--
-- takes: name
-- parameter periods: expression, the periods of a file as first_period gives them
-- parameter add_day: flag, include the day of the files before
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT MIN(first_day) AS first_day
FROM (
    SELECT first_day
    FROM (
        {{ periods | expression }}
    ) AS periods
{% if add_day %}
    UNION ALL
    SELECT first_day FROM {{ name | identifier }}
{% endif %}
) AS days

-- name: make_users
-- Creates the table of the distinct users.
-- takes: name
-- parameter source: relation, with the users
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT DISTINCT user_id
FROM {{ source | relation }} AS source
WHERE user_id IS NOT NULL

-- name: count_users
-- The number of users, and whether all of them are integers.
-- takes: users
SELECT
    COUNT(*) AS users
    , CAST(COUNT(*) = COUNT(CASE WHEN REGEXP_FULL_MATCH(user_id, '\d{1,30}') THEN 1 END) AS INTEGER) AS numeric
FROM {{ users | relation }} AS users

-- name: make_master
-- Creates the table of the users with their known attributes.
--
-- missing: an empty text is missing
--
-- takes: name
-- parameter source: relation, the records of the master table
-- parameter columns: columns, the user first
-- parameter names: columns, their names in the table
-- parameter skip_first: flag, the first record is a header
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
{% for column in columns %}
    NULLIF(CAST({{ column | identifier }} AS VARCHAR), '') AS {{ names[loop.index0] | identifier }}{{ loop | between }}
{% endfor %}
FROM {{ source | relation }} AS source
{% if skip_first %}
WHERE record > 1
{% endif %}

-- name: master_violations
-- The violations in a master table, a row for each user.
--
-- definition: users that are listed again, records without a user, and users of the original that are not listed
--
-- takes: original
-- parameter name: column, the table of violations
-- parameter source: relation, the master table
INSERT INTO {{ name | identifier }}
SELECT 'repeated' AS violated, NULL AS record, user_id AS value
FROM {{ source | relation }} AS listed
WHERE user_id IS NOT NULL
GROUP BY user_id
HAVING COUNT(*) > 1
UNION ALL
SELECT 'nobody', NULL, NULL
FROM {{ source | relation }} AS listed
WHERE user_id IS NULL
UNION ALL
SELECT 'unlisted', NULL, user_id
FROM (SELECT DISTINCT user_id FROM {{ original | relation }} AS original) AS users
WHERE user_id NOT IN (SELECT user_id FROM {{ source | relation }} AS listed WHERE user_id IS NOT NULL)

-- name: deleted_violations
-- Records as violations the deleted records of a table that must not have any.
--
-- takes: source
-- parameter name: column, the table of violations
INSERT INTO {{ name | identifier }}
SELECT 'kept_deleted' AS violated, record, NULL AS value
FROM {{ source | relation }} AS records
WHERE deleted

-- name: release_violations
-- The violations of a release against its original, a row for each record.
--
-- definition: deleted records with values left; fewer than half of the records survive; another number of records;
--   records of another period than those of the original; items that the original lacks; pseudonyms that are users of
--   the original; a user whose pseudonym differs, within a period, from that of their first record in it
-- source: the check of the contest of 2017
-- missing: deleted records are not examined; a missing value of the original requires nothing of the release
--
-- takes: original, users, records, unit
-- parameter name: column, the table of violations
-- parameter source: relation, the release as it is written
INSERT INTO {{ name | identifier }}
WITH originals AS (
    SELECT record, user_id, period, day FROM {{ original | relation }} AS original
),
rows AS (
    SELECT record, deleted, partly, person, day, moment, item FROM {{ source | relation }} AS released
),
kept AS (
    SELECT
        rows.record
        , rows.person
        , rows.moment
        , rows.item
        , originals.user_id
        , originals.period
        , DATE_TRUNC({{ unit | literal }}, rows.day) IS DISTINCT FROM DATE_TRUNC({{ unit | literal }}, originals.day)
            AND (rows.day IS NOT NULL OR rows.moment IS NULL) AS moved
    FROM rows
    JOIN originals ON originals.record = rows.record
    WHERE NOT rows.deleted
),
items AS (
    SELECT DISTINCT item FROM {{ original | relation }} AS original
),
firsts AS (
    SELECT user_id, period, MIN(record) AS record
    FROM kept
    GROUP BY user_id, period
),
pseudonyms AS (
    SELECT firsts.user_id, firsts.period, kept.person
    FROM firsts
    JOIN kept ON kept.record = firsts.record
)
SELECT 'survivors' AS violated, NULL AS record, CAST(COUNT(kept.record) AS VARCHAR) AS value
FROM originals
LEFT JOIN kept ON kept.record = originals.record
HAVING COUNT(kept.record) < FLOOR(COUNT(originals.record) / 2.0)
UNION ALL
SELECT 'deleted', rows.record, NULL
FROM rows
JOIN originals ON originals.record = rows.record
WHERE rows.partly
UNION ALL
SELECT 'records', record, NULL FROM rows WHERE record > {{ records }}
UNION ALL
SELECT 'records', originals.record, NULL
FROM originals
LEFT JOIN rows ON rows.record = originals.record
WHERE rows.record IS NULL
UNION ALL
SELECT 'period', record, moment FROM kept WHERE moved
UNION ALL
SELECT 'item', kept.record, kept.item
FROM kept
LEFT JOIN items ON items.item = kept.item
WHERE items.item IS NULL
UNION ALL
SELECT 'customer', kept.record, kept.person
FROM kept
JOIN {{ users | relation }} AS users ON users.user_id = kept.person
UNION ALL
SELECT 'one_pseudonym', kept.record, kept.person
FROM kept
JOIN pseudonyms ON pseudonyms.user_id = kept.user_id AND pseudonyms.period = kept.period
WHERE pseudonyms.person IS DISTINCT FROM kept.person

-- name: standard_release
-- The standard table of a release, aligned with the original.
--
-- definition: one record for each of the original, in its order
-- missing: all values of a deleted record are missing
--
-- takes: name, original
-- parameter source: relation, the release as a standard history
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    original.record
    , released.user_id AS pseudonym
    , released.period
    , released.day
    , released.clock
    , released.invoice
    , released.item
    , released.price
    , released.quantity
FROM {{ original | relation }} AS original
LEFT JOIN {{ source | relation }} AS released ON released.record = original.record
ORDER BY original.record

-- name: count_surviving
-- The number of records of a release that were not deleted.
--
-- parameter source: relation, the release as a standard table
SELECT COUNT(pseudonym) AS records
FROM {{ source | relation }} AS released

-- name: partial_violations
-- The violations of a partial table against the original, a row for each record.
--
-- definition: another number of records; unknown users; in files of the contest, records of another user or day than
--   the original record of the same index
-- missing: deleted records are not looked at
--
-- takes: original, users, records
-- parameter name: column, the table of violations
-- parameter source: relation, the partial table as it is written
-- parameter aligned: flag, records have the indexes of the original
INSERT INTO {{ name | identifier }}
WITH rows AS (
    SELECT record, deleted, person, day FROM {{ source | relation }} AS partial
)
SELECT 'unknown' AS violated, rows.record, rows.person AS value
FROM rows
LEFT JOIN {{ users | relation }} AS users ON users.user_id = rows.person
WHERE NOT rows.deleted AND users.user_id IS NULL
{% if aligned %}
UNION ALL
SELECT 'records', record, NULL FROM rows WHERE record > {{ records }}
UNION ALL
SELECT 'records', original.record, NULL
FROM {{ original | relation }} AS original
LEFT JOIN rows ON rows.record = original.record
WHERE rows.record IS NULL
UNION ALL
SELECT 'place', rows.record, rows.person
FROM rows
JOIN {{ original | relation }} AS original ON original.record = rows.record
WHERE NOT rows.deleted AND (original.user_id IS DISTINCT FROM rows.person OR original.day IS DISTINCT FROM rows.day)
{% endif %}

-- name: partial_records
-- Creates the table of original records known to an attacker.
--
-- definition: alpha percent of the records, rounded half up: those first in the order of the MD5 sum of the seed,
--   alpha and their number; items are cut to their first characters
-- source: the partial tables of the contest of 2017, drawn in an order that can be repeated
-- missing: every record of the original is complete
--
-- takes: name, original
-- parameter alpha: text, the percentage
-- parameter seed: integer, of the draw
-- parameter prefix: integer or none, number of known first characters of items
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH ranked AS (
    SELECT
        record
        , ROW_NUMBER() OVER (ORDER BY MD5('partial {{ seed }} ' || {{ alpha | literal }} || ' ' || record), record)
            AS rank
        , COUNT(*) OVER () AS records
    FROM {{ original | relation }} AS original
)
SELECT
    original.record
    , original.user_id
    , original.period
    , original.day
    , original.clock
    , original.invoice
    , {% if prefix is not none %}LEFT(original.item, {{ prefix }}){% else %}original.item{% endif %} AS item
    , original.price
    , original.quantity
FROM {{ original | relation }} AS original
JOIN ranked ON ranked.record = original.record
WHERE ranked.rank * 100 <= CAST({{ alpha | literal }} AS DECIMAL(12, 9)) * ranked.records + 50
ORDER BY original.record

-- name: surviving_records
-- Creates the table of released records that were not deleted: the view of attackers.
--
-- definition: in the order of the release, with its numbers
-- missing: all values of deleted records are missing
--
-- takes: name
-- parameter source: relation, the release aligned with its original, or as a standard history of its own
-- parameter pseudonym: column, the column of the pseudonym
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    record
    , {{ pseudonym | identifier }} AS pseudonym
    , period
    , day
    , clock
    , invoice
    , item
    , price
    , quantity
FROM {{ source | relation }} AS released
WHERE {{ pseudonym | identifier }} IS NOT NULL
ORDER BY record

-- name: true_pseudonyms
-- Creates the table of true pseudonyms by user and period.
--
-- definition: for each user and period with a record that survived, the pseudonym of the last one
-- source: the table F of the contest of 2017
-- missing: a user without a surviving record in a period has no row for it
--
-- takes: name, original
-- parameter release: relation, the release aligned with it
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    original.user_id
    , original.period
    , ARG_MAX(released.pseudonym, released.record) AS pseudonym
FROM {{ original | relation }} AS original
JOIN {{ release | relation }} AS released ON released.record = original.record
WHERE released.pseudonym IS NOT NULL
GROUP BY original.user_id, original.period
ORDER BY original.user_id, original.period
