-- class_size_bands
-- People and records by bands of class sizes; reads bands and sizes.

SELECT
    bands.least,
    bands.most,
    CAST(SUM(sizes.classes) AS BIGINT) AS classes,
    CAST(SUM(sizes.people) AS BIGINT) AS people,
    SUM(sizes.people) / CAST({{ all_people | literal }} AS DOUBLE) AS share,
    CAST(SUM(sizes.records) AS BIGINT) AS records,
    SUM(sizes.records) / CAST({{ all_records | literal }} AS DOUBLE) AS share_of_records,
    MIN(sizes.class_size) AS smallest_class,
    LEAST(1, CAST({{ attributes + 2 }} AS DOUBLE) * {{ all_records | literal }} * {{ all_records | literal }}
        / POWER(2, 65)) AS chance_of_error
FROM bands
JOIN sizes ON sizes.class_size >= bands.least AND (bands.most IS NULL OR sizes.class_size <= bands.most)
GROUP BY bands.least, bands.most
ORDER BY bands.least
