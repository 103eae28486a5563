-- spark_probe
-- Whether an engine calculates as duckrisk's statements need it: one row, one truth value per question.
--
-- source: what engines that take the same SQL were seen to do otherwise
-- runs: wide
SELECT
    CAST(FLOOR(CAST(-0.5 AS DOUBLE)) AS INT) = -1 AS floor_of_negatives,
    CAST(7 AS DOUBLE) / 2 = 3.5 AS division,
    1 / NULLIF(CAST(0 AS DOUBLE), 0) IS NULL AS guarded_division,
    MD5('Zürich') = '103a821a3a6a0b923c9f74a39662bb51' AS digest_of_text,
    'Z' < 'a' AND 'a' < 'é' AS order_of_texts,
    LENGTH('日本') = 2 AS length_of_texts,
    '\\' = CHAR(92) AS backslash,
    CAST('2021-03-28 02:30:00' AS TIMESTAMP) = CAST('2021-03-28 00:30:00' AS TIMESTAMP) + INTERVAL 2 HOURS AS time_zone,
    PMOD(DATEDIFF(DATE '1583-01-02', DATE '1970-01-05'), 7) = 6 AS week_of_old_days,
    MAKE_DATE(YEAR(DATE '1583-01-31'), MONTH(DATE '1583-01-31'), 1) = DATE '1583-01-01' AS month_of_old_days,
    (SELECT COUNT(*) FROM (VALUES (1), (CAST(NULL AS INT))) AS t (x) WHERE x NOT IN (2)) = 1 AS missing_values,
    CAST(4611686018427387904 AS BIGINT) & CAST(4611686018427387905 AS BIGINT) = 4611686018427387904 AS bits,
    (SELECT COUNT(DISTINCT x) FROM (VALUES ('a'), ('A'), ('a ')) AS t (x)) = 3 AS different_texts
