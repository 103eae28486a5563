-- attacking
-- Attacks any history with known records of users: its periods, the linkable users, and the links of a guess.
--
-- source: our own
-- runs: finish
--
-- parameter released: relation, the released records
-- parameter guess: relation, the guess

-- name: every_known
-- Creates the table of the records known to at least one of several attackers.
--
-- definition: a record that several know is there several times
--
-- parameter name: column, the table
-- parameter tables: columns, the standard histories of the attackers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
{% for table in tables %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT user_id, period
FROM {{ table | identifier }}
{% endfor %}

-- name: count_periods
-- The number of periods that known and released records span.
-- takes: released
-- parameter known_records: relation, the known records
SELECT CAST(COALESCE(MAX(period), 0) + 1 AS INTEGER) AS periods
FROM (
    SELECT period FROM {{ known_records | relation }} AS known
    UNION ALL
    SELECT period FROM {{ released | relation }} AS released
) AS both_sides

-- name: count_linkable
-- The number of released records and of their pseudonyms.
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
-- The numbers of right and wrong links of a guess.
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
-- parameter max_links: integer, largest number of links to list
SELECT user_id AS user, period, pseudonym
FROM {{ guess | relation }} AS guess
ORDER BY user_id, period
LIMIT {{ max_links }}
