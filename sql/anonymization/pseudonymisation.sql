-- pseudonymisation
-- Replaces users by pseudonyms: one for all time, one per period, or one per day.
--
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- runs: finish
--
-- parameter source: relation, the records
-- parameter name: column, the table
-- parameter column: column, of the users

-- name: first_start
-- Creates the table of the first day of the first period.
--
-- missing: records without a time are left out
--
-- takes: name, source
-- parameter start: expression, the first day of a record's period
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT MIN({{ start | expression }}) AS first_day
FROM {{ source | relation }} AS records

-- name: user_days
-- Creates the table of users and the days of their records.
--
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a record without a user is left out; a missing day is a day of its own
--
-- takes: name, source, column
-- parameter day: expression, the day of a record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    {{ column | identifier }} AS person
    , {{ day | expression }} AS moment
FROM {{ source | relation }} AS records
WHERE {{ column | identifier }} IS NOT NULL
GROUP BY person, moment

-- name: pseudonyms
-- Creates the table of users and their pseudonyms, one for all time or one per period.
--
-- definition: all pairs of a user and a period are put into a random order: by the first 64 bits of the SHA-256
--   digest of a secret and of the pair's rank by value, then by this rank. A pseudonym is the rank in this order,
--   padded to the digits of the last one
-- runs: wide
--
-- takes: name, source, column
-- parameter period: expression or none, the first day of a record's period; none for one pseudonym for all time
-- parameter label: expression or none, the period as people write it, from its first day
-- parameter secret: text, secret key
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH pairs AS (
    SELECT
        {{ column | identifier }} AS person
{% if period is not none %}
        , {{ period | expression }} AS period
{% endif %}
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY person{% if period is not none %}, period{% endif %}

),
numbered AS (
    SELECT
        person
        , {% if period is not none %}period{% else %}NULL{% endif %} AS period
        , ROW_NUMBER() OVER (ORDER BY person{% if period is not none %}, period{% endif %}) AS number
    FROM pairs
)
SELECT
    person
    , period
    , {% if label is not none %}{{ label | expression }}{% else %}NULL{% endif %} AS period_text
    , 'P' || LPAD(
        CAST(ROW_NUMBER() OVER (
            ORDER BY CAST('0x' || LEFT(SHA256({{ secret | literal }} || CAST(number AS VARCHAR)), 16) AS UBIGINT),
            number) AS VARCHAR),
        CAST(LENGTH(CAST(COUNT(*) OVER () AS VARCHAR)) AS INTEGER),
        '0'
    ) AS pseudonym
FROM numbered

-- name: count_pseudonyms
-- Counts the users by their number of pseudonyms.
--
-- runs: wide
--
-- parameter source: relation, the users and their pseudonyms
SELECT
    COUNT(DISTINCT person) AS users
    , COUNT(DISTINCT pseudonym) AS pseudonyms
    , COUNT(*) AS pairs
FROM {{ source | relation }} AS pseudonyms

-- name: day_pseudonyms
-- Creates the table of the pseudonyms of users on the days of their records.
--
-- definition: that of the period that the day lies in
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a missing day is a period of its own
--
-- takes: name
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
