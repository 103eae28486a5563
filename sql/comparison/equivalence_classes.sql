-- equivalence_classes
-- The sizes of the equivalence classes of a table: records that agree on the quasi-identifiers.
--
-- definition: discernibility is the sum of the squared sizes; without any quasi-identifier all records are one class
-- source: Sweeney, k-anonymity, 2002; Bayardo and Agrawal, Data privacy through optimal k-anonymization, 2005
-- missing: a missing value is a value like another
-- read: a table is k-anonymous for the k that its smallest class has
-- runs: finish
--
-- parameter source: relation, the table
-- parameter columns: columns, the quasi-identifiers that it has
-- parameter k: integer, a smaller class is rare
-- column classes: BIGINT, classes, all of them
-- column smallest_class: BIGINT, records, in the smallest class
-- column records_below_k: BIGINT, records, in a class that is smaller than k
-- column unique_records: BIGINT, records, alone in their class
-- column average_class_size: DOUBLE, records, in the mean over the classes
-- column discernibility: DOUBLE, pairs of records, that agree on the quasi-identifiers, each record also with itself
WITH records AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}, {% endfor %}1 AS one
    FROM {{ source | relation }}
),
classes AS (
    SELECT COUNT(*) AS size
    FROM records
    GROUP BY one{% for column in columns %}, a{{ loop.index }}{% endfor %}

)
SELECT
    COUNT(*) AS classes,
    MIN(size) AS smallest_class,
    CAST(COALESCE(SUM(CASE WHEN size < {{ k | literal }} THEN size ELSE 0 END), 0) AS BIGINT) AS records_below_k,
    CAST(COALESCE(SUM(CASE WHEN size = 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS unique_records,
    CAST(SUM(size) AS DOUBLE) / NULLIF(COUNT(*), 0) AS average_class_size,
    CAST(SUM(CAST(size AS DECIMAL(38, 0)) * size) AS DOUBLE) AS discernibility
FROM classes
