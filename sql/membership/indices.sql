-- indices
-- The similarity of a release to its original: the histogram, covariance and correlation indices of the contest.
--
-- idea: numbers are brought into [-1, 1] with a mean of 0, so that sums of their products lose nothing; covariances of
--   dummies follow from the sums of each two that occur together.
-- source: PWS Cup 2020, equations 1 and 2
-- runs: finish
--
-- parameter release: relation, those of the release
-- parameter attributes: columns, n1, n2, … with numbers and c1, c2, … with categories
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter dummies: relation, all dummies
-- parameter scales: relation, those of numbers
-- parameter codes: relation, the records by the numbers of dummies
-- parameter starts: integers, the first dummy of each attribute
-- parameter totals: relation, the sums of dummies

-- name: histogram_index
-- The similarity of the value counts of a release to those of the original: U_hist.
--
-- definition: 1 - the sum over attributes and values of |count in the release - count in the original| / (2 n
--   attributes), n the records of the original; counts as they are, so that a release of another size loses, and may
--   fall below 0
-- source: PWS Cup 2020, equation 1
-- read: distance is the sum, distances has its part for each attribute
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

-- name: number_scales
-- The scaling of each numeric attribute into [-1, 1] with mean 0, so that sums of products stay exact.
--
-- definition: the mean, and the largest distance from it; 1 where there is but one number
-- read: one row an attribute with numbers
--
-- takes: name, source, attributes
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

-- name: dummy_codes
-- The records as dummy numbers: each category its dummy, numbers scaled into [-1, 1]; columns a0, a1 and so on.
--
-- definition: one small integer per category instead of one column per dummy: pairs of attributes are counted without
--   dummy columns
--
-- takes: name, source, attributes, dummies, scales
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
{% for column in attributes %}
{% if column[0] == "n" %}
    {% if not loop.first %}, {% endif %}(records.{{ column | identifier }} - known{{ loop.index0 }}.middle)
        / known{{ loop.index0 }}.width AS a{{ loop.index0 }}
{% else %}
    {% if not loop.first %}, {% endif %}known{{ loop.index0 }}.dummy AS a{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
{% for column in attributes %}
{% if column[0] == "n" %}
CROSS JOIN (SELECT middle, width FROM {{ scales | relation }} AS scales WHERE attribute = {{ loop.index0 }})
    AS known{{ loop.index0 }}
{% else %}
JOIN (SELECT CAST(dummy AS SMALLINT) AS dummy, value FROM {{ dummies | relation }} AS dummies
    WHERE attribute = {{ loop.index0 }}) AS known{{ loop.index0 }}
    ON known{{ loop.index0 }}.value = records.{{ column | identifier }}
{% endif %}
{% endfor %}

-- name: dummy_totals
-- The sum of each dummy over the records, and whether the dummy is constant.
--
-- definition: numbers are added as decimals of 17 digits; the dummies of categories are counted
-- missing: a dummy that no record has is 0 in all of them
--
-- takes: name, codes, attributes, starts, dummies
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
{% for column in attributes %}
{% if column[0] == "n" %}
    SELECT
        {{ starts[loop.index0] }} AS dummy,
        CAST(SUM(CAST(a{{ loop.index0 }} AS DECIMAL(18, 17))) AS DOUBLE) AS total,
        MIN(a{{ loop.index0 }}) = MAX(a{{ loop.index0 }}) AS constant
    FROM {{ codes | relation }} AS codes
{% else %}
    SELECT a{{ loop.index0 }} AS dummy, CAST(COUNT(*) AS DOUBLE) AS total,
        COUNT(*) = (SELECT COUNT(*) FROM {{ codes | relation }} AS codes) AS constant
    FROM {{ codes | relation }} AS codes
    GROUP BY a{{ loop.index0 }}
{% endif %}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT dummies.dummy, COALESCE(counted.total, 0) AS total, COALESCE(counted.constant, TRUE) AS constant
FROM {{ dummies | relation }} AS dummies
LEFT JOIN counted ON counted.dummy = dummies.dummy

-- name: dummy_products
-- The sum of the products of two dummies over the records, for each pair that occurs.
--
-- definition: two categories: the number of records with both, for each pair of attributes; products with numbers are
--   added as decimals of 17 digits; dummy <= other
-- missing: two categories that no record has together have no row, a category with itself has its count
--
-- takes: name, codes, totals, attributes, starts, dummies
-- parameter numeric: integers, the indexes of numeric attributes, from 0
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH products AS (
{% for column in attributes %}
{% set first = loop.index0 %}
{% for other in attributes[loop.index0:] %}
{% set second = first + loop.index0 %}
{% if column[0] == "c" and other[0] == "c" and first < second %}
    SELECT a{{ first }} AS dummy, a{{ second }} AS other, CAST(COUNT(*) AS DOUBLE) AS total
    FROM {{ codes | relation }} AS codes
    GROUP BY a{{ first }}, a{{ second }}
    UNION ALL
{% elif column[0] == "n" and other[0] == "n" %}
    SELECT
        {{ starts[first] }} AS dummy,
        {{ starts[second] }} AS other,
        CAST(SUM(CAST(a{{ first }} * a{{ second }} AS DECIMAL(18, 17))) AS DOUBLE) AS total
    FROM {{ codes | relation }} AS codes
    UNION ALL
{% endif %}
{% endfor %}
{% if column[0] == "c" and numeric %}
    SELECT LEAST(dummy, number) AS dummy, GREATEST(dummy, number) AS other, total
    FROM (
        SELECT
            a{{ first }} AS dummy,
            UNNEST([{% for place in numeric %}{% if not loop.first %}, {% endif %}{{ starts[place] }}{% endfor %}])
                AS number,
            UNNEST([{% for place in numeric %}{% if not loop.first %}, {% endif %}CAST(
                SUM(CAST(a{{ place }} AS DECIMAL(18, 17))) AS DOUBLE){% endfor %}]) AS total
        FROM {{ codes | relation }} AS codes
        GROUP BY a{{ first }}
    ) AS sums{{ first }}
    UNION ALL
{% endif %}
{% endfor %}
    SELECT dummies.dummy, dummies.dummy AS other, totals.total
    FROM {{ dummies | relation }} AS dummies
    JOIN {{ totals | relation }} AS totals ON totals.dummy = dummies.dummy
    WHERE dummies.value IS NOT NULL
)
SELECT dummy, other, total
FROM products

-- name: dummy_covariances
-- The covariance and the correlation of each pair of dummies of a table, each dummy also with itself.
--
-- definition: covariance with divisor n - 1; correlation = covariance / the root of both variances; dummy <= other
-- source: PWS Cup 2020, the covariance and correlation indices
-- missing: with a dummy that is the same in all records, or in a table of one record, both are 0
--
-- takes: name, totals, dummies, scales
-- parameter products: relation, the sums of products of dummies
-- parameter records: integer, number of records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH sizes AS (
    SELECT CAST({{ records }} AS DOUBLE) AS records
),
known AS (
    SELECT totals.dummy, totals.total, totals.constant, COALESCE(scales.width, 1) AS width
    FROM {{ totals | relation }} AS totals
    JOIN {{ dummies | relation }} AS dummies ON dummies.dummy = totals.dummy
    LEFT JOIN {{ scales | relation }} AS scales ON scales.attribute = dummies.attribute
),
scaled AS (
    SELECT
        first.dummy,
        second.dummy AS other,
        first.width * second.width AS width,
        CASE
            WHEN first.constant OR second.constant THEN 0
            ELSE COALESCE(
                (sizes.records * COALESCE(products.total, 0) - first.total * second.total)
                / NULLIF(sizes.records * (sizes.records - 1), 0), 0
            )
        END AS covariance
    FROM known AS first
    JOIN known AS second ON first.dummy <= second.dummy
    CROSS JOIN sizes
    LEFT JOIN {{ products | relation }} AS products
        ON products.dummy = first.dummy AND products.other = second.dummy
),
variances AS (
    SELECT dummy, covariance AS variance
    FROM scaled
    WHERE dummy = other
)
SELECT
    scaled.dummy,
    scaled.other,
    scaled.covariance * scaled.width AS covariance,
    CASE
        WHEN first.variance > 0 AND second.variance > 0
            THEN scaled.covariance / SQRT(first.variance) / SQRT(second.variance)
        ELSE 0
    END AS correlation
FROM scaled
JOIN variances AS first ON first.dummy = scaled.dummy
JOIN variances AS second ON second.dummy = scaled.other

-- name: covariance_index
-- The similarity of the dummy covariances of a release to those of the original: U_VCM.
--
-- definition: 1 / the largest, over the dummies, of the sum of the absolute differences of its covariances with all
--   dummies
-- source: PWS Cup 2020, preliminary round, equation 2 as corrected
-- missing: no value (NULL) where nothing differs: the index is infinite
-- read: largest_sum, and the dummy it is of, the first of equals
--
-- takes: release, dummies
-- parameter original: relation, the covariances of the original
WITH differences AS (
    SELECT original.dummy, original.other, ABS(release.covariance - original.covariance) AS difference
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS release
        ON release.dummy = original.dummy AND release.other = original.other
),
sides AS (
    SELECT dummy, difference FROM differences
    UNION ALL
    SELECT other AS dummy, difference FROM differences WHERE other <> dummy
),
sums AS (
    SELECT dummy, SUM(difference ORDER BY difference) AS total
    FROM sides
    GROUP BY dummy
),
ranked AS (
    SELECT dummy, total, ROW_NUMBER() OVER (ORDER BY total DESC, dummy) AS place
    FROM sums
)
SELECT 1 / NULLIF(ranked.total, 0) AS value, ranked.total AS largest_sum, dummies.attribute, dummies.value AS category
FROM ranked
JOIN {{ dummies | relation }} AS dummies ON dummies.dummy = ranked.dummy
WHERE ranked.place = 1

-- name: correlation_index
-- The similarity of the dummy correlations of a release to those of the original: U_cor.
--
-- definition: 1 - the largest absolute difference of the correlation of two dummies; mean_value has the mean instead
-- source: PWS Cup 2020, final round: every two attributes within ten points
-- missing: a correlation with a dummy that is the same in all records is 0; 1 where there is but one dummy
-- read: difference, and the first of the pairs that have it
--
-- takes: release, dummies
-- parameter original: relation, the correlations of the original
WITH differences AS (
    SELECT original.dummy, original.other, ABS(release.correlation - original.correlation) AS difference
    FROM {{ original | relation }} AS original
    JOIN {{ release | relation }} AS release
        ON release.dummy = original.dummy AND release.other = original.other
    WHERE original.dummy < original.other
),
ranked AS (
    SELECT dummy, other, difference, ROW_NUMBER() OVER (ORDER BY difference DESC, dummy, other) AS place
    FROM differences
),
totals AS (
    SELECT
        COALESCE(MAX(difference), 0) AS difference,
        COALESCE(CAST(SUM(CAST(difference AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0) AS mean
    FROM differences
)
SELECT
    1 - totals.difference AS value,
    1 - totals.mean AS mean_value,
    totals.difference,
    first.attribute AS first_attribute,
    first.value AS first_category,
    second.attribute AS second_attribute,
    second.value AS second_category
FROM totals
LEFT JOIN ranked ON ranked.place = 1
LEFT JOIN {{ dummies | relation }} AS first ON first.dummy = ranked.dummy
LEFT JOIN {{ dummies | relation }} AS second ON second.dummy = ranked.other
