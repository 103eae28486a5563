-- class_size_table
-- Records by the size of their class; reads classes.

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
