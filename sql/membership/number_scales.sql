-- number_scales
-- What brings the numbers of an attribute into [-1, 1] with a mean of 0, so that sums of their products lose nothing.
--
-- definition: the mean, and the largest distance from it; 1 where there is but one number
-- read: one row an attribute with numbers
-- portable: yes
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH numbers AS (
{% for column in attributes %}
{% if column[0] == "n" %}
    SELECT {{ loop.index0 }} AS attribute, {{ column | identifier }} AS number FROM {{ source | relation }} AS records
    UNION ALL
{% endif %}
{% endfor %}
    SELECT -1 AS attribute, CAST(0 AS DOUBLE) AS number
),
ranges AS (
    SELECT attribute, MIN(number) AS least, MAX(number) AS most, COUNT(*) AS records
    FROM numbers
    GROUP BY attribute
),
middles AS (
    SELECT
        attribute,
        least,
        most,
        records,
        least / 2 + most / 2 AS middle,
        CASE WHEN most / 2 > least / 2 THEN most / 2 - least / 2 ELSE 1 END AS width
    FROM ranges
),
sums AS (
    SELECT
        numbers.attribute,
        SUM(CAST((numbers.number - middles.middle) / middles.width AS DECIMAL(18, 17))) AS total
    FROM numbers
    JOIN middles ON middles.attribute = numbers.attribute
    GROUP BY numbers.attribute
),
means AS (
    SELECT
        middles.attribute,
        middles.least,
        middles.most,
        middles.middle + middles.width * (CAST(sums.total AS DOUBLE) / middles.records) AS mean
    FROM middles
    JOIN sums ON sums.attribute = middles.attribute
)
SELECT
    attribute,
    mean AS middle,
    CASE WHEN most > least THEN GREATEST(most - mean, mean - least) ELSE 1 END AS width
FROM means
WHERE attribute >= 0
