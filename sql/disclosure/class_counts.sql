-- class_counts
-- Adds how many classes have which size.
--
-- portable: no
--
-- parameter missing: text, what a missing cell is
INSERT INTO class_frequencies
SELECT missing, 'record' AS unit, class_size, COUNT(*) AS classes, CAST(SUM(records) AS BIGINT) AS records, 0 AS incomplete
FROM class_matches
WHERE missing = {{ missing | literal }} AND records > 0
GROUP BY missing, class_size
