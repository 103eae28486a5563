-- release_evidence
-- What of a release has to do with the rules on anonymously processed information.
--
-- definition: pseudonyms, how many periods one of them is used in, and how many are of several users; items that one record
--   alone has; records with a price beyond the limits; misplaced records, whose day, time, item, price and quantity are
--   all those of a record of another user in the period and not all those of the record in their place (Yamaoka's
--   anonymisation, which cells that are changed as well hide)
-- source: article 34 (formerly 19) of the enforcement rules as the contest of 2017 reads it
-- missing: deleted records are not looked at; a missing price is not beyond
-- portable: no
--
-- parameter original: relation, the original as a standard history
-- parameter release: relation, the release aligned with it
-- parameter within: expression, whether a price is within the limits
WITH kept AS (
    SELECT
        original.user_id
        , released.record
        , released.pseudonym
        , released.period
        , released.day
        , released.item
        , released.clock
        , released.price
        , released.quantity
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS released ON released.record = original.record
    WHERE released.pseudonym IS NOT NULL
),
pseudonyms AS (
    SELECT pseudonym, COUNT(DISTINCT period) AS periods, COUNT(DISTINCT user_id) AS users
    FROM kept
    GROUP BY pseudonym
),
items AS (
    SELECT item, COUNT(*) AS records
    FROM kept
    GROUP BY item
),
cells AS (
    SELECT record, user_id, 0 AS side, period, day, item, clock, price, quantity
    FROM {{ original | relation }} AS original
    UNION ALL
    SELECT record, user_id, 1 AS side, period, day, item, clock, price, quantity
    FROM kept
),
told AS (
    SELECT
        record
        , user_id
        , side
        , ROW(period, day, item, COALESCE(clock, ''), COALESCE(price, ''), COALESCE(CAST(quantity AS VARCHAR), '')) AS cells
    FROM cells
),
holders AS (
    SELECT cells, user_id FROM told WHERE side = 0 GROUP BY cells, user_id
),
misplaced AS (
    SELECT DISTINCT released.record
    FROM told AS released
    JOIN told AS own ON own.record = released.record AND own.side = 0 AND own.cells <> released.cells
    JOIN holders ON holders.cells = released.cells AND holders.user_id <> released.user_id
    WHERE released.side = 1
)
SELECT
    COUNT(*) AS pseudonyms
    , CAST(SUM(periods) AS DOUBLE) / NULLIF(COUNT(*), 0) AS mean_periods
    , COALESCE(MAX(periods), 0) AS most_periods
    , COUNT(CASE WHEN users > 1 THEN 1 END) AS shared_pseudonyms
    , (SELECT COUNT(*) FROM items WHERE records = 1) AS items_bought_once
    , (
        SELECT COUNT(*)
        FROM kept
        WHERE NOT {{ within | expression }}
    ) AS prices_beyond
    , (SELECT COUNT(*) FROM misplaced) AS misplaced_records
FROM pseudonyms
