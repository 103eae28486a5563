-- shadow_fits
-- Makes the table of the normal distributions of each candidate's statistic: in shadows with it, and in those without.
--
-- definition: the mean of the shadows with a candidate counts its mean without, moved as all are moved in the mean, as one more
--   shadow. With fewer than 32 shadows on either side both have one variance, (sums of squares of both + pooled variance) /
--   (shadows + 1 - sides), else each its own, (sum of squares + pooled variance) / shadows; the pooled variance is that of all
--   candidates within their shadows. A variance is 1e-12 at least.
-- source: Carlini et al., Membership inference attacks from first principles, 2022, who pool variances of few shadows; how is
--   our own
-- missing: without any shadow of a side there is no distribution (NULL) on it
-- portable: no
--
-- parameter name: column, the table
-- parameter sums: relation, what all shadows told of each candidate
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH means AS (
    SELECT
        record
        , inside_shadows AS inside
        , outside_shadows AS outside
        , CAST(inside_sum AS DOUBLE) + inside_shadows * base AS inside_sum
        , base + CAST(inside_sum AS DOUBLE) / NULLIF(inside_shadows, 0) AS inside_mean
        , base + CAST(outside_sum AS DOUBLE) / NULLIF(outside_shadows, 0) AS outside_mean
        , GREATEST(CAST(inside_squares AS DOUBLE) - COALESCE(POWER(CAST(inside_sum AS DOUBLE), 2) / NULLIF(inside_shadows, 0), 0), 0) AS inside_squares
        , GREATEST(CAST(outside_squares AS DOUBLE) - COALESCE(POWER(CAST(outside_sum AS DOUBLE), 2) / NULLIF(outside_shadows, 0), 0), 0) AS outside_squares
    FROM {{ sums | relation }} AS sums
),
pooled AS (
    SELECT
        COALESCE(
            CAST(SUM(CAST(means.inside_squares + means.outside_squares AS DECIMAL(38, 18))) AS DOUBLE)
            / NULLIF(SUM(GREATEST(means.inside - 1, 0) + GREATEST(means.outside - 1, 0)), 0), 0
        ) AS variance
        , COALESCE(
            CAST(SUM(CAST(means.inside_mean - means.outside_mean AS DECIMAL(38, 18))) AS DOUBLE)
            / NULLIF(COUNT(means.inside_mean - means.outside_mean), 0), 0
        ) AS moved
        , SUM(means.inside) AS inside
    FROM means
)
SELECT
    means.record
    , CASE
        WHEN pooled.inside > 0
            THEN (COALESCE(means.inside_sum, 0) + COALESCE(means.outside_mean, means.inside_mean - pooled.moved) + pooled.moved) / (means.inside + 1)
    END AS inside_mean
    , CASE
        WHEN pooled.inside = 0 THEN NULL
        WHEN LEAST(means.inside, means.outside) >= 32 THEN SQRT(GREATEST((means.inside_squares + pooled.variance) / means.inside, 1e-12))
        ELSE SQRT(GREATEST((means.inside_squares + means.outside_squares + pooled.variance) / (means.inside + means.outside + 1 - LEAST(means.inside, 1) - LEAST(means.outside, 1)), 1e-12))
    END AS inside_deviation
    , COALESCE(means.outside_mean, means.inside_mean - pooled.moved) AS outside_mean
    , CASE
        WHEN LEAST(means.inside, means.outside) >= 32 THEN SQRT(GREATEST((means.outside_squares + pooled.variance) / means.outside, 1e-12))
        ELSE SQRT(GREATEST((means.inside_squares + means.outside_squares + pooled.variance) / (means.inside + means.outside + 1 - LEAST(means.inside, 1) - LEAST(means.outside, 1)), 1e-12))
    END AS outside_deviation
FROM means
CROSS JOIN pooled
