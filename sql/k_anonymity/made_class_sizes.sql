-- made_class_sizes
-- The sizes of equivalence classes, measured on the finished table alone.
--
-- definition: discernibility = the sum of the squared sizes; average_class = records / classes / k
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006; Bayardo and Agrawal, Data privacy through
--   optimal k-anonymization, ICDE 2005
-- missing: a missing value is a value of its own
-- read: a table is k-anonymous where its smallest class has at least k records
-- runs: finish
--
-- parameter target: column, the table
-- parameter columns: columns, the quasi-identifiers
-- parameter k: integer, the least records of a class
-- column classes: BIGINT, classes, records that agree on all quasi-identifiers
-- column smallest: BIGINT, records, of the smallest class
-- column records: BIGINT, records, in all classes
-- column discernibility: BIGINT, squared records, each record counts the records that are indistinguishable from it
-- column average_class: DOUBLE, ratio, 1 where every class is as small as it may be
WITH classes AS (
    SELECT COUNT(*) AS size
    FROM {{ target | identifier }}
    GROUP BY {{ columns | identifiers }}

)
SELECT
    COUNT(*) AS classes,
    MIN(size) AS smallest,
    CAST(SUM(size) AS BIGINT) AS records,
    CAST(SUM(size * size) AS BIGINT) AS discernibility,
    CAST(SUM(size) AS DOUBLE) / NULLIF(COUNT(*), 0) / {{ k }} AS average_class
FROM classes
