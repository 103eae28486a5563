-- histogram_index
-- How like the counts of the values of each attribute in a release are to those of the original: U_hist.
--
-- definition: 1 - the sum over attributes and values of |count in the release - count in the original| / (2 n attributes),
--   n the records of the original; counts as they are, so that a release of another size loses, and may fall below 0
-- source: PWS Cup 2020, equation 1
-- read: distance is the sum, distances has its part for each attribute
-- portable: no
--
-- parameter original: relation, the records as they were
-- parameter release: relation, the released records
-- parameter attributes: columns, whose values are counted
WITH distances AS (
{% for column in attributes %}
    SELECT {{ loop.index0 }} AS attribute, CAST(SUM(ABS(difference)) AS BIGINT) AS distance
    FROM (
        SELECT SUM(sign) AS difference
        FROM (
            SELECT {{ column | identifier }} AS value, 1 AS sign FROM {{ original | relation }} AS original
            UNION ALL
            SELECT {{ column | identifier }} AS value, -1 AS sign FROM {{ release | relation }} AS release
        ) AS cells{{ loop.index0 }}
        GROUP BY value
    ) AS differences{{ loop.index0 }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
size AS (
    SELECT COUNT(*) AS records FROM {{ original | relation }} AS original
)
SELECT
    1 - CAST(SUM(distance) AS DOUBLE) / (2 * CAST(MAX(size.records) AS DOUBLE) * {{ attributes | length }}) AS value,
    CAST(SUM(distance) AS BIGINT) AS distance,
    LIST(distance ORDER BY attribute) AS distances
FROM distances
CROSS JOIN size
