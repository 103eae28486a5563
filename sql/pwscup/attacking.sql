-- attacking
-- Attacks any history with known records of users: its periods, who can be linked, and what a guess links.
--
-- source: our own
-- runs: finish
--
-- parameter released: relation, the released records
-- parameter guess: relation, the guess

-- name: every_known
-- Makes the table of the records that any of several attackers knows.
--
-- definition: a record that several know is there several times
--
-- parameter name: column, the table
-- parameter tables: columns, the standard histories of what each knows
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
{% for table in tables %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT user_id, period
FROM {{ table | identifier }}
{% endfor %}

-- name: count_periods
-- How many periods known and released records span.
-- takes: released
-- parameter known: relation, the known records
SELECT CAST(COALESCE(MAX(period), 0) + 1 AS INTEGER) AS periods
FROM (
    SELECT period FROM {{ known | relation }} AS known
    UNION ALL
    SELECT period FROM {{ released | relation }} AS released
) AS both_sides

-- name: count_linkable
-- How many records are released, and under how many pseudonyms.
--
-- definition: a pseudonym that comes back in another period counts again there
--
-- takes: released
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records, COUNT(*) AS pseudonyms
FROM (
    SELECT period, pseudonym, COUNT(*) AS records
    FROM {{ released | relation }} AS released
    GROUP BY period, pseudonym
) AS counted

-- name: attack_links
-- What a guess links, right or wrong.
--
-- definition: a pseudonym of a period is linked where the guess for that period names it, and so are its records
--
-- takes: guess, released
WITH pseudonyms AS (
    SELECT period, pseudonym, COUNT(*) AS records
    FROM {{ released | relation }} AS released
    GROUP BY period, pseudonym
),
named AS (
    SELECT period, pseudonym
    FROM {{ guess | relation }} AS guess
    GROUP BY period, pseudonym
)
SELECT
    (SELECT COUNT(DISTINCT user_id) FROM {{ guess | relation }} AS guess) AS linked_users,
    (SELECT COUNT(*) FROM {{ guess | relation }} AS guess) AS guessed_cells,
    COUNT(named.pseudonym) AS linked_pseudonyms,
    CAST(COALESCE(SUM(CASE WHEN named.pseudonym IS NOT NULL THEN pseudonyms.records END), 0) AS BIGINT)
        AS linked_records
FROM pseudonyms
LEFT JOIN named ON named.period = pseudonyms.period AND named.pseudonym = pseudonyms.pseudonym

-- name: first_links
-- The first links of a guess.
--
-- definition: in the order of users and periods
--
-- takes: guess
-- parameter most: integer, how many are shown
SELECT user_id AS user, period, pseudonym
FROM {{ guess | relation }} AS guess
ORDER BY user_id, period
LIMIT {{ most }}
