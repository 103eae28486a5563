-- contest_writing
-- Writes a release in the format of the contest: aligned records, and the table of pseudonyms.
--
-- source: the contest of 2017
-- runs: finish
--
-- parameter name: column, the view
-- parameter periods: integer, number of periods

-- name: aligned_records
-- All records of the original by index, empty where a record was removed.
--
-- definition: a kept record has the values of the kept ones, or its own
-- missing: all values of a record that is not kept
--
-- parameter name: column, the table
-- parameter source: relation, all records, numbered from 0
-- parameter kept_records: relation, the records that are kept
-- parameter first_number: integer, the number of the first record there
-- parameter treated: flag, the kept records have treated values
-- parameter columns: columns, of the records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for column in columns %}
    , CASE WHEN kept.record IS NOT NULL
        THEN {% if treated %}kept{% else %}records{% endif %}.{{ column | identifier }} END AS {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
LEFT JOIN {{ kept_records | relation }} AS kept ON kept.record = records.record + {{ first_number }}
ORDER BY records.record

-- name: contest_text
-- Treated records in the format of the contest.
--
-- definition: dates are yyyy/m/d without leading zeros; a deleted record is DEL and six empty values
--
-- takes: name
-- parameter source: relation, the records under the bindings of a source
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
    , COALESCE(c0, 'DEL') AS c0
    , CASE WHEN c0 IS NOT NULL THEN c1 END AS c1
    , CASE WHEN c0 IS NOT NULL THEN YEAR(c2) || '/' || MONTH(c2) || '/' || DAY(c2) END AS c2
    , CASE WHEN c0 IS NOT NULL THEN c3 END AS c3
    , CASE WHEN c0 IS NOT NULL THEN c4 END AS c4
    , CASE WHEN c0 IS NOT NULL THEN c5 END AS c5
    , CASE WHEN c0 IS NOT NULL THEN c6 END AS c6
FROM {{ source | relation }} AS records

-- name: period_names
-- The names of the periods, in order.
--
-- definition: 2024-05-31, 2024-W22, 2024-05 and 2024-Q2
--
-- takes: periods
-- parameter unit: text, one of day, week, month, quarter
-- parameter start: relation, first day of the first period
-- parameter period_text: expression, the name of the period that begins at the moment start
SELECT {{ period_text | expression }} AS name
FROM (
    SELECT
        place
        , DATE_TRUNC({{ unit | literal }}, CAST((SELECT first_day FROM {{ start | relation }}) AS TIMESTAMP))
            + CASE {{ unit | literal }}
            WHEN 'day' THEN TO_DAYS(CAST(place AS INTEGER))
            WHEN 'week' THEN TO_DAYS(CAST(7 * place AS INTEGER))
            WHEN 'month' THEN TO_MONTHS(CAST(place AS INTEGER))
            ELSE TO_MONTHS(CAST(3 * place AS INTEGER))
        END AS start
    FROM RANGE({{ periods }}) AS places(place)
) AS begun
ORDER BY place

-- name: pseudonym_table
-- The pseudonyms of each user, a column for each period.
--
-- definition: a pseudonym, or DEL where there is none
-- source: the table F of the contest of 2017
--
-- takes: name, periods
-- parameter source: relation, the pseudonyms by user and period
-- parameter users: relation, the users
-- parameter order: expression, sort key of the users
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ order | expression }}) AS record
    , user_id
{% for place in range(periods) %}
    , COALESCE(MAX(CASE WHEN period = {{ place }} THEN pseudonym END), 'DEL') AS p{{ place }}
{% endfor %}
FROM (
    SELECT users.user_id, found.period, found.pseudonym
    FROM {{ users | relation }} AS users
    LEFT JOIN {{ source | relation }} AS found ON found.user_id = users.user_id
) AS joined
GROUP BY user_id
