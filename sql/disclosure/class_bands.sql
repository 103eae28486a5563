-- class_bands
-- How many records are in classes of which size.
--
-- portable: yes
--
-- parameter sizes: relation, class sizes as class_sizes gives them
-- parameter bounds: integers, the least size of each band
WITH bands AS (
    SELECT least, LEAD(least) OVER (ORDER BY least) - 1 AS most
    FROM (SELECT UNNEST({{ bounds | literal }}) AS least) AS starts
),
given AS (
    SELECT class_size, classes, records, SUM(records) OVER () AS all_records
    FROM {{ sizes | relation }}
)
SELECT
    bands.least,
    CASE WHEN bands.most IS NULL THEN MAX(given.class_size) ELSE bands.most END AS most,
    CAST(SUM(given.classes) AS BIGINT) AS classes,
    CAST(SUM(given.records) AS BIGINT) AS records,
    CAST(SUM(given.records) AS DOUBLE) / CAST(MIN(given.all_records) AS DOUBLE) AS share
FROM bands
JOIN given ON given.class_size >= bands.least AND (bands.most IS NULL OR given.class_size <= bands.most)
WHERE given.records > 0
GROUP BY bands.least, bands.most
ORDER BY bands.least
