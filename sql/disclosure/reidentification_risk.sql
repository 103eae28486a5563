-- reidentification_risk
-- Prosecutor and marketer risk of class sizes: the target is known to be in the table.
--
-- definition: a record in a class of f is found with 1 / f. highest_risk = 1 / min f; average_risk = the mean over the
--   records, which is classes / records and the marketer risk; never the mean over the classes, which is larger.
-- source: El Emam, Guide to the de-identification of personal health information, 2013; ARX's sample-based risks
-- missing: as in the class sizes that are given
-- read: average_risk is the share of records that an attacker who picks one of each class names rightly
-- runs: finish
--
-- parameter sizes: relation, class sizes as class_sizes gives them: columns class_size, classes and records
--
-- column records: BIGINT, records, all of them: the denominator of the shares
-- column classes: BIGINT, classes, all of them
-- column smallest_class: BIGINT, records, k: in the smallest class
-- column largest_class: BIGINT, records, in the largest class
-- column average_class: DOUBLE, records, mean over the classes
-- column alone: BIGINT, records, in a class of their own
-- column share_alone: DOUBLE, share of records, alone: sample uniqueness
-- column highest_risk: DOUBLE, probability, of the record that is found most easily
-- column lowest_risk: DOUBLE, probability, of the record that is found least easily
-- column average_risk: DOUBLE, probability, mean over the records
-- column class_average_risk: DOUBLE, probability, mean over the classes, as some programs give it: too high for persons
WITH given AS (
    SELECT class_size AS f, classes AS c, records AS n
    FROM {{ sizes | relation }}
    WHERE records > 0
)
SELECT
    CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(c), 0) AS BIGINT) AS classes,
    CAST(MIN(f) AS BIGINT) AS smallest_class,
    CAST(MAX(f) AS BIGINT) AS largest_class,
    CAST(SUM(CAST(f AS DECIMAL(38, 0)) * c) AS DOUBLE) / CAST(SUM(c) AS DOUBLE) AS average_class,
    CAST(COALESCE(SUM(CASE WHEN f = 1 THEN n ELSE 0 END), 0) AS BIGINT) AS alone,
    CAST(SUM(CASE WHEN f = 1 THEN n ELSE 0 END) AS DOUBLE) / CAST(SUM(n) AS DOUBLE) AS share_alone,
    1 / CAST(MIN(f) AS DOUBLE) AS highest_risk,
    1 / CAST(MAX(f) AS DOUBLE) AS lowest_risk,
    CASE WHEN SUM(CASE WHEN n = f * c THEN 0 ELSE 1 END) = 0
        THEN CAST(SUM(c) AS DOUBLE)
        ELSE CAST(SUM(CAST(CAST(n AS DOUBLE) / f AS DECIMAL(38, 18))) AS DOUBLE)
    END / CAST(SUM(n) AS DOUBLE) AS average_risk,
    CAST(SUM(CAST(CAST(c AS DOUBLE) / f AS DECIMAL(38, 18))) AS DOUBLE) / CAST(SUM(c) AS DOUBLE) AS class_average_risk
FROM given
