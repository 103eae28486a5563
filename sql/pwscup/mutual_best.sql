-- mutual_best
-- Assigns pseudonyms to users, one to one in each period: again and again the pairs that are best for both sides.
--
-- definition: the highest score first; of equal scores the smaller user, then the smaller pseudonym
-- portable: no
--
-- parameter table: column, the table that is made
-- parameter scores: column, the scores of pairs
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH RECURSIVE open AS (
    SELECT
        user_number
        , period
        , pseudonym_number
        , score
        , ROW_NUMBER() OVER (PARTITION BY user_number, period ORDER BY score DESC, pseudonym_number) = 1
            AND ROW_NUMBER() OVER (PARTITION BY pseudonym_number ORDER BY score DESC, user_number) = 1 AS mutual
    FROM {{ scores | identifier }}
    WHERE score > 0
    UNION ALL
    SELECT
        user_number
        , period
        , pseudonym_number
        , score
        , ROW_NUMBER() OVER (PARTITION BY user_number, period ORDER BY score DESC, pseudonym_number) = 1
            AND ROW_NUMBER() OVER (PARTITION BY pseudonym_number ORDER BY score DESC, user_number) = 1 AS mutual
    FROM (
        SELECT
            user_number
            , period
            , pseudonym_number
            , score
            , MAX(CAST(mutual AS INTEGER)) OVER (PARTITION BY user_number, period) AS user_done
            , MAX(CAST(mutual AS INTEGER)) OVER (PARTITION BY pseudonym_number) AS pseudonym_done
        FROM open
    ) AS examined
    WHERE user_done = 0 AND pseudonym_done = 0
)
SELECT user_number, period, pseudonym_number, score
FROM open
WHERE mutual
