-- class_sizes
-- How many records agree on the quasi-identifiers: the sizes of their classes, and what is lost if a size is demanded.
--
-- definition: a class is the records that agree on all the columns; k is the size of the smallest one. Whoever demands
--   k and drops what is below it loses the records in classes that are smaller than k.
-- source: Sweeney, k-anonymity, 2002; El Emam, Guide to the de-identification of personal health information, 2013
-- missing: a missing value is a value like another; duckrisk assess has the other rules
-- read: the first row is the smallest class: k. share_below is the share of records that is lost if class_size is
--   demanded of all; records in classes of size 1 are alone.
-- portable: yes
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
--
-- column class_size: BIGINT, records, in each of these classes
-- column classes: BIGINT, classes, of this size
-- column records: BIGINT, records, in classes of this size
-- column records_below: BIGINT, records, in smaller classes
-- column share_below: DOUBLE, share of records, records_below of all records
WITH records AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}, {% endfor %}1 AS one
    FROM {{ source | relation }}
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM records
    GROUP BY one{% for column in columns %}, a{{ loop.index }}{% endfor %}

),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, CAST(SUM(class_size) AS BIGINT) AS records
    FROM classes
    GROUP BY class_size
),
below AS (
    SELECT
        class_size,
        classes,
        records,
        CAST(COALESCE(SUM(records) OVER (
            ORDER BY class_size ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS BIGINT) AS records_below,
        SUM(records) OVER () AS all_records
    FROM sizes
)
SELECT
    class_size,
    classes,
    records,
    records_below,
    CAST(records_below AS DOUBLE) / CAST(all_records AS DOUBLE) AS share_below
FROM below
ORDER BY class_size
