-- attack_links
-- What a guess links, right or wrong.
--
-- definition: a pseudonym of a period is linked where the guess for that period names it, and so are its records
-- portable: yes
--
-- parameter guess: relation, the guess
-- parameter released: relation, the released records
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
    CAST(COALESCE(SUM(CASE WHEN named.pseudonym IS NOT NULL THEN pseudonyms.records END), 0) AS BIGINT) AS linked_records
FROM pseudonyms
LEFT JOIN named ON named.period = pseudonyms.period AND named.pseudonym = pseudonyms.pseudonym
