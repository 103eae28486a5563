-- overlap_matches
-- Guesses the pseudonym of each user in each period as the one whose items are most likely to be those of the user.
--
-- definition: the table of fewer records is taken for a part of the other, drawn by chance, a share s of it; with a and b
--   records of an item in the part and in the whole and m the smaller of a and b, an item that both have says
--   ln(C(b, m) s^m (1 - s)^(b - m) / f^m), where f is how often released records of the period have it, so that a rare one
--   counts for more; an item of the whole alone b ln(1 - s), and each record of the part that the whole lacks ln(1 / 100).
--   The highest sum to six digits is guessed, the smaller pseudonym of equals; without a common item there is no guess.
--   s is 0.98 at most
-- source: attack S7 of DARC, the successor of PWS Cup 2017, which counts common items; likelihoods of our own
-- missing: a record without an item tells nothing
-- portable: no
--
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym"
-- parameter released: relation, the released records
-- parameter known: relation, the records that the attacker knows
-- parameter prefix: integer or none, how many first characters of an item count
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH released AS (
    SELECT
        period
        , pseudonym
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}){% endif %} AS kind
        , COUNT(*) AS records
    FROM {{ released | relation }} AS history
    WHERE pseudonym IS NOT NULL AND item IS NOT NULL
    GROUP BY period, pseudonym, kind
),
known AS (
    SELECT
        user_id
        , period
        , {% if prefix is none %}item{% else %}LEFT(item, {{ prefix }}){% endif %} AS kind
        , COUNT(*) AS records
    FROM {{ known | relation }} AS history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY user_id, period, kind
),
pseudonyms AS (
    SELECT period, pseudonym, SUM(records) AS records
    FROM released
    GROUP BY period, pseudonym
),
users AS (
    SELECT user_id, period, SUM(records) AS records
    FROM known
    GROUP BY user_id, period
),
sizes AS (
    SELECT
        (SELECT SUM(records) FROM known) <= (SELECT SUM(records) FROM released) AS known_is_part
        , LEAST(
            0.98
            , CAST(LEAST((SELECT SUM(records) FROM known), (SELECT SUM(records) FROM released)) AS DOUBLE)
            / GREATEST((SELECT SUM(records) FROM known), (SELECT SUM(records) FROM released))) AS share
),
periods AS (
    SELECT period, SUM(records) AS records
    FROM pseudonyms
    GROUP BY period
),
frequencies AS (
    SELECT released.period, released.kind, CAST(SUM(released.records) AS DOUBLE) / MIN(periods.records) AS frequency
    FROM released
    JOIN periods ON periods.period = released.period
    GROUP BY released.period, released.kind
),
common AS (
    SELECT
        known.user_id
        , known.period
        , released.pseudonym
        , known.kind
        , LEAST(known.records, released.records) AS agreed
        , CASE WHEN sizes.known_is_part THEN released.records ELSE known.records END AS whole
    FROM known
    JOIN released ON released.period = known.period AND released.kind = known.kind
    CROSS JOIN sizes
),
said AS (
    SELECT
        common.user_id
        , common.period
        , common.pseudonym
        , SUM(common.agreed) AS agreed
        , SUM(CAST(
            LGAMMA(common.whole + 1) - LGAMMA(common.agreed + 1)
            - LGAMMA(common.whole - common.agreed + 1)
            - common.agreed * LN(frequencies.frequency) AS DECIMAL(18, 9))) AS score
    FROM common
    JOIN frequencies ON frequencies.period = common.period AND frequencies.kind = common.kind
    GROUP BY common.user_id, common.period, common.pseudonym
),
scores AS (
    SELECT
        said.user_id
        , said.period
        , said.pseudonym
        , CAST(
            CAST(said.score AS DOUBLE)
            + said.agreed * LN(sizes.share)
            + (CASE WHEN sizes.known_is_part THEN pseudonyms.records ELSE users.records END - said.agreed) * LN(1 - sizes.share)
            - (CASE WHEN sizes.known_is_part THEN users.records ELSE pseudonyms.records END - said.agreed) * LN(100)
            AS DECIMAL(18, 6)) AS score
    FROM said
    JOIN users ON users.user_id = said.user_id AND users.period = said.period
    JOIN pseudonyms ON pseudonyms.period = said.period AND pseudonyms.pseudonym = said.pseudonym
    CROSS JOIN sizes
),
ranked AS (
    SELECT
        user_id
        , period
        , pseudonym
        , ROW_NUMBER() OVER (PARTITION BY user_id, period ORDER BY score DESC, pseudonym) AS place
    FROM scores
)
SELECT user_id, period, pseudonym
FROM ranked
WHERE place = 1
