-- agreeing_duplicates
-- Counts the records that agree with one of somebody else on all attributes where a missing cell agrees with all.
--
-- portable: no
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records, COALESCE(CAST(SUM(LEN(members)) AS BIGINT), 0) AS combinations
FROM agreeing_sizes
WHERE NOT alone
