-- agreeing_counted
-- Counts whom each of some attribute sets singles out where a missing cell agrees with all.
--
-- definition: classes overlap, so that there is no number of them; "squares" are the ordered pairs of records that agree, each
--   with itself too
-- portable: no
INSERT INTO set_parts
SELECT
    mask,
    SUM(records) AS records,
    NULL AS classes,
    COUNT(DISTINCT CASE WHEN alone THEN id END) AS singled,
    SUM(CAST(records AS HUGEINT) * agreeing) AS squares,
    MIN(agreeing) AS smallest
FROM agreeing_sizes
GROUP BY mask
