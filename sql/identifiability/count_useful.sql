-- count_useful
-- Counts the sets that can single somebody out, and the open combinations that each is tried for.
--
-- portable: yes
SELECT COUNT(*) AS sets, CAST(COALESCE(SUM(wanted), 0) AS BIGINT) AS wanted
FROM useful
