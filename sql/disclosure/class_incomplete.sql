-- class_incomplete
-- How many records miss something, by the classes that were counted but not kept.
--
-- portable: yes
SELECT CAST(COALESCE(SUM(incomplete), 0) AS BIGINT) AS records
FROM class_frequencies
