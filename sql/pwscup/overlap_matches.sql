-- overlap_matches
-- Guesses the pseudonym of each user in each period as the one whose items cover most of the user's known ones.
--
-- definition: an item weighs ln(1 + pseudonyms of the period / those of them with the item), so that a rare one counts
--   for more; the share of the weight of the user's known items that a pseudonym has decides, then the smaller weight
--   of all items of the pseudonym, then the smaller pseudonym
-- source: attack S7 of DARC, the successor of PWS Cup 2017, with weights of our own
-- missing: a record without an item tells nothing
-- portable: no
--
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym"
-- parameter released: relation, the released records
-- parameter known: relation, the records that the attacker knows
-- parameter prefix: integer or none, how many first characters of an item count
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH released AS (
    SELECT DISTINCT period, pseudonym, {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}){% endif %} AS item
    FROM {{ released | relation }} AS records
    WHERE pseudonym IS NOT NULL AND item IS NOT NULL
),
known AS (
    SELECT DISTINCT user_id, period, {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}){% endif %} AS item
    FROM {{ known | relation }} AS records
    WHERE user_id IS NOT NULL AND item IS NOT NULL
),
pseudonyms AS (
    SELECT period, COUNT(DISTINCT pseudonym) AS pseudonyms
    FROM released
    GROUP BY period
),
weights AS (
    SELECT released.period, released.item, CAST(LN(1 + MIN(pseudonyms.pseudonyms) / COUNT(*)) AS DECIMAL(18, 12)) AS weight
    FROM released
    JOIN pseudonyms ON pseudonyms.period = released.period
    GROUP BY released.period, released.item
),
sizes AS (
    SELECT released.period, released.pseudonym, SUM(weights.weight) AS weight
    FROM released
    JOIN weights ON weights.period = released.period AND weights.item = released.item
    GROUP BY released.period, released.pseudonym
),
shared AS (
    SELECT known.user_id, known.period, released.pseudonym, SUM(weights.weight) AS weight
    FROM known
    JOIN released ON released.period = known.period AND released.item = known.item
    JOIN weights ON weights.period = known.period AND weights.item = known.item
    GROUP BY known.user_id, known.period, released.pseudonym
),
ranked AS (
    SELECT
        shared.user_id
        , shared.period
        , shared.pseudonym
        , ROW_NUMBER() OVER (
            PARTITION BY shared.user_id, shared.period
            ORDER BY shared.weight DESC, sizes.weight, shared.pseudonym) AS place
    FROM shared
    JOIN sizes ON sizes.period = shared.period AND sizes.pseudonym = shared.pseudonym
)
SELECT user_id, period, pseudonym
FROM ranked
WHERE place = 1
