-- counted_sets
-- The records of each attribute set, its classes, and the records that are alone in theirs.

classes AS (
    SELECT mask, SUM(records) AS records
    FROM combinations
    CROSS JOIN sets
    GROUP BY mask{% for column in columns %},
        CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

),
counted AS MATERIALIZED (
    SELECT
        mask,
        CAST(SUM(records) AS DOUBLE) AS records,
        COUNT(*) AS classes,
        COUNT(CASE WHEN records = 1 THEN 1 END) AS singled,
        CAST(SUM(CAST(records AS HUGEINT) * records) AS DOUBLE) AS squares,
        CAST(MIN(records) AS BIGINT) AS smallest
    FROM classes
    GROUP BY mask
)
