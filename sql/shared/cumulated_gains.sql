-- cumulated_gains
-- Records by information gain, cumulated.

alike AS (
    SELECT place, gain, CAST(SUM(records) AS BIGINT) AS records
    FROM lines
    GROUP BY place, gain
),
climbing AS (
    SELECT place, gain, records, SUM(records) OVER (PARTITION BY place ORDER BY gain) AS so_far
    FROM alike
),
