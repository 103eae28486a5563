-- compared_rules
-- Counts rules of two tables and sums how far their confidences differ; reads compared.

counted AS (
    SELECT
        COUNT(before) AS rules,
        COUNT(after) AS released_rules,
        COUNT(before + after) AS common_rules,
        COUNT(*) AS all_rules,
        SUM(CASE WHEN before IS NOT NULL THEN CAST(ABS(before - COALESCE(after, 0)) AS DECIMAL(38, 18)) END) AS change
    FROM compared
)
