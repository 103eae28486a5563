-- distinct_values
-- Exact number of distinct values of a column.
--
-- definition: the number of different values
-- source: duckrisk
-- missing: NULL is missing; `present` counts the other records.
-- read: if distinct_values equals present, the column distinguishes every record.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter column: column, the column
--
-- column present: BIGINT, records, records that have a value
-- column distinct_values: BIGINT, values, distinct values
WITH opened AS (
    SELECT {{ column | identifier }} AS value
    FROM {{ source | relation }}
),
by_value AS (
    SELECT value, COUNT(*) AS records
    FROM opened
    WHERE value IS NOT NULL
    GROUP BY value
)
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS present, COUNT(*) AS distinct_values
FROM by_value
