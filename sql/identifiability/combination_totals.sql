-- combination_totals
-- Counts the combinations, the records behind them and their missing values.
--
-- portable: no
SELECT
    COUNT(*) AS combinations,
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(records * BIT_COUNT(missing)), 0) AS BIGINT) AS missing_cells,
    COALESCE(BIT_OR(missing), 0) AS ever_missing
FROM combinations
