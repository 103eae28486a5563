-- pseudonym_control
-- Passes pseudonyms on between customers, and renews them after some records.
--
-- idea: both steps list moves: in a period a pseudonym becomes another one. A customer has one pseudonym in a period
--   before and after.
-- source: our own
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the release, its records numbered from 0
-- parameter original: relation, the original as a standard history, its records numbered from 1
-- parameter user: column, the pseudonyms of the release

-- name: passed_on_pseudonyms
-- The moves that pass pseudonyms on in a ring, in each period anew.
--
-- definition: a share of the pseudonyms of a period, rounded half up, form a ring in random order; the customer of each
--   gets the next one. A ring of one changes nothing
-- missing: a deleted record is none of the period
--
-- takes: name, source, original, user
-- parameter share: number, of the pseudonyms of each period
-- parameter drawn: expression, the number that orders the pseudonyms
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH used AS (
    SELECT original.period, released.{{ user | identifier }} AS pseudonym, MIN(original.record) AS record
    FROM {{ original | relation }} AS original
    JOIN {{ source | relation }} AS released ON released.record = original.record - 1
    WHERE released.{{ user | identifier }} IS NOT NULL
    GROUP BY original.period, released.{{ user | identifier }}
),
ordered AS (
    SELECT
        period
        , pseudonym
        , ROW_NUMBER() OVER (PARTITION BY period ORDER BY {{ drawn | expression }}, record) AS place
        , COUNT(*) OVER (PARTITION BY period) AS pseudonyms
    FROM used
)
SELECT
    period
    , pseudonym
    , COALESCE(
        LEAD(pseudonym) OVER (PARTITION BY period ORDER BY place)
        , FIRST_VALUE(pseudonym) OVER (PARTITION BY period ORDER BY place)
    ) AS new_pseudonym
FROM ordered
WHERE place <= FLOOR(CAST({{ share | literal }} AS DECIMAL(18, 9)) * pseudonyms + 0.5)

-- name: counted_renewals
-- How often each pseudonym was renewed before a period.
--
-- definition: a pseudonym is renewed in the first period after it has had as many records as the limit, or more, since
--   it was new
-- missing: a deleted record does not count
--
-- takes: name, source, original, user
-- parameter most_records: integer, the limit
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH RECURSIVE used AS (
    SELECT
        original.period
        , released.{{ user | identifier }} AS pseudonym
        , COUNT(*) AS records
        , ROW_NUMBER() OVER (PARTITION BY released.{{ user | identifier }} ORDER BY original.period) AS place
    FROM {{ original | relation }} AS original
    JOIN {{ source | relation }} AS released ON released.record = original.record - 1
    WHERE released.{{ user | identifier }} IS NOT NULL
    GROUP BY original.period, released.{{ user | identifier }}
),
followed AS (
    SELECT pseudonym, period, place, 0 AS renewals, records
    FROM used
    WHERE place = 1
    UNION ALL
    SELECT
        used.pseudonym
        , used.period
        , used.place
        , followed.renewals + CASE WHEN followed.records >= {{ most_records }} THEN 1 ELSE 0 END AS renewals
        , used.records + CASE WHEN followed.records >= {{ most_records }} THEN 0 ELSE followed.records END AS records
    FROM followed
    JOIN used ON used.pseudonym = followed.pseudonym AND used.place = followed.place + 1
)
SELECT pseudonym, period AS used_period, renewals
FROM followed

-- name: renewed_pseudonyms
-- The moves that give a pseudonym a new name for each time that it was renewed.
--
-- takes: name
-- parameter renewals: relation, the pseudonyms, the periods, and how often each was renewed before
-- parameter pseudonyms: relation, the new pseudonym of each pair of a pseudonym and a number of renewals
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT renewals.used_period AS period, renewals.pseudonym, pseudonyms.pseudonym AS new_pseudonym
FROM {{ renewals | relation }} AS renewals
JOIN {{ pseudonyms | relation }} AS pseudonyms
    ON pseudonyms.person = renewals.pseudonym AND pseudonyms.period = renewals.renewals

-- name: moved_pseudonyms
-- Applies moves of pseudonyms to a release.
--
-- definition: a pseudonym without a move in its period stays
-- missing: a deleted record stays deleted
--
-- takes: name, source, original, user
-- parameter moves: relation, the period, the pseudonym, and the new pseudonym
-- parameter columns: columns, of the release
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for column in columns %}
    , {% if column == user %}COALESCE(moves.new_pseudonym, records.{{ column | identifier }}) AS {{ column | identifier
    }}{% else %}records.{{ column | identifier }}{% endif %}

{% endfor %}
FROM {{ source | relation }} AS records
LEFT JOIN {{ original | relation }} AS original ON original.record = records.record + 1
LEFT JOIN {{ moves | relation }} AS moves
    ON moves.period = original.period AND moves.pseudonym = records.{{ user | identifier }}
ORDER BY records.record

-- name: count_moves
-- The number of pseudonyms of periods that a step moves, and of those there are after it.
--
-- definition: a pseudonym that comes back in another period is moved there again
--
-- parameter moves: relation, the period, the pseudonym, and the new pseudonym
SELECT
    COUNT(CASE WHEN new_pseudonym <> pseudonym THEN 1 END) AS moved
    , COUNT(DISTINCT new_pseudonym) AS pseudonyms
FROM {{ moves | relation }} AS moves
