-- dummy_covariances
-- The covariance and the correlation of each two dummies of a table, each dummy also with itself.
--
-- definition: covariance with divisor n - 1; correlation = covariance / the root of both variances; dummy <= other
-- source: PWS Cup 2020, the covariance and correlation indices
-- missing: with a dummy that is the same in all records, or in a table of one record, both are 0
-- portable: no
--
-- parameter name: column, the table
-- parameter totals: relation, the sums of dummies
-- parameter products: relation, the sums of products of dummies
-- parameter dummies: relation, all dummies
-- parameter scales: relation, those of numbers
-- parameter records: integer, so many records there are
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
