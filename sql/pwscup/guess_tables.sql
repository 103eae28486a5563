-- guess_tables
-- Reads a guess: the pseudonym of each user in each period.
--
-- source: the check of the contest of 2017
-- runs: finish
--
-- parameter source: relation, the lines
-- parameter users: relation, the users
-- parameter name: column, the table

-- name: guess_header
-- Whether a guess begins with a header, which is not allowed.
--
-- definition: the first line names nobody, and there is one line more than there are users
--
-- takes: source, users
SELECT
    COUNT(*) = (SELECT COUNT(*) + 1 FROM {{ users | relation }} AS users)
    AND COUNT(CASE WHEN record = 1 AND c0 NOT IN (SELECT user_id FROM {{ users | relation }} AS users) THEN 1 END)
        = 1 AS found
FROM {{ source | relation }} AS lines

-- name: guess_cells
-- The lines of a guess: a user and a value for each period.
--
-- definition: a line of the file is a user's; they are numbered from 1
-- missing: an empty value stays empty
--
-- takes: name, source
-- parameter columns: columns, the user first, then the periods
-- parameter number: column or none, the number of a line; none numbers them as they come
-- parameter header_lines: integer, number of lines before the first guess
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    {% if number is not none %}{{ number | identifier }} - {{ header_lines }}{% else %}ROW_NUMBER() OVER (){% endif %}
        AS record
    , {{ columns[0] | identifier }} AS user_id
{% for column in columns[1:] %}
    , NULLIF(NULLIF({{ column | identifier }}, ''), 'DEL') AS p{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }} AS lines
{% if header_lines %}
WHERE record > {{ header_lines }}
{% endif %}

-- name: guess_violations
-- The violations of a guess against the users of the original, a row for each line or user.
--
-- definition: users without a line; lines of unknown users; further lines of a user; lines that are not in the order
--   of the users: by number if all users are integers, else by text
-- source: the check of the contest of 2017
--
-- takes: users
-- parameter name: column, the table of violations
-- parameter source: relation, the lines of the guess
-- parameter order: expression, sort key of the users
INSERT INTO {{ name | identifier }}
WITH rows AS (
    SELECT record, user_id FROM {{ source | relation }} AS guessed
),
users AS (
    SELECT user_id FROM {{ users | relation }} AS users
),
ranked AS (
    SELECT user_id, ROW_NUMBER() OVER (ORDER BY {{ order | expression }}) AS rank
    FROM users
),
placed AS (
    SELECT rows.record, rows.user_id, ranked.rank, LAG(ranked.rank) OVER (ORDER BY rows.record) AS before
    FROM rows
    JOIN ranked ON ranked.user_id = rows.user_id
)
SELECT 'missing' AS violated, NULL AS record, users.user_id AS value
FROM users
LEFT JOIN rows ON rows.user_id = users.user_id
WHERE rows.user_id IS NULL
UNION ALL
SELECT 'unknown', rows.record, rows.user_id
FROM rows
LEFT JOIN users ON users.user_id = rows.user_id
WHERE users.user_id IS NULL
UNION ALL
SELECT 'repeated', record, user_id
FROM (
    SELECT record, user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY record) AS time
    FROM rows
) AS timed
WHERE time > 1
UNION ALL
SELECT 'sorted', record, user_id FROM placed WHERE before > rank

-- name: guessed_pseudonyms
-- Creates the standard table of a guess: the pseudonym of each user in each period.
--
-- definition: a row for each filled value
--
-- takes: name
-- parameter source: relation, the lines of the guess
-- parameter periods: integer, number of periods
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT user_id, CAST(place AS INTEGER) AS period, pseudonym
FROM (
    SELECT user_id, UNNEST(RANGE({{ periods }})) AS place, UNNEST([{{ range(periods) | each("p{x}") }}]) AS pseudonym
    FROM {{ source | relation }} AS guessed
) AS cells
WHERE pseudonym IS NOT NULL
ORDER BY user_id, place
