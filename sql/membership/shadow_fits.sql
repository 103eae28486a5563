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
-- parameter tables: texts, the statistics of each shadow
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH statistics AS (
{% for table in tables %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT record, statistic, inside FROM {{ table | relation }} AS shadow{{ loop.index }}
{% endfor %}
),
sums AS (
    SELECT
        record
        , COUNT(CASE WHEN inside THEN 1 END) AS inside
        , COUNT(CASE WHEN NOT inside THEN 1 END) AS outside
        , CAST(SUM(CASE WHEN inside THEN CAST(statistic AS DECIMAL(38, 18)) END) AS DOUBLE) AS inside_sum
        , CAST(SUM(CASE WHEN NOT inside THEN CAST(statistic AS DECIMAL(38, 18)) END) AS DOUBLE) AS outside_sum
    FROM statistics
    GROUP BY record
),
means AS (
    SELECT
        sums.*
        , inside_sum / NULLIF(inside, 0) AS inside_mean
        , outside_sum / NULLIF(outside, 0) AS outside_mean
    FROM sums
),
squares AS (
    SELECT
        means.record
        , CAST(SUM(CASE WHEN statistics.inside THEN CAST(POWER(statistics.statistic - means.inside_mean, 2) AS DECIMAL(38, 18)) ELSE 0 END) AS DOUBLE) AS inside_squares
        , CAST(SUM(CASE WHEN NOT statistics.inside THEN CAST(POWER(statistics.statistic - means.outside_mean, 2) AS DECIMAL(38, 18)) ELSE 0 END) AS DOUBLE) AS outside_squares
    FROM statistics
    JOIN means ON means.record = statistics.record
    GROUP BY means.record
),
pooled AS (
    SELECT
        COALESCE(
            CAST(SUM(CAST(squares.inside_squares + squares.outside_squares AS DECIMAL(38, 18))) AS DOUBLE)
            / NULLIF(SUM(GREATEST(means.inside - 1, 0) + GREATEST(means.outside - 1, 0)), 0), 0
        ) AS variance
        , COALESCE(
            CAST(SUM(CAST(means.inside_mean - means.outside_mean AS DECIMAL(38, 18))) AS DOUBLE)
            / NULLIF(COUNT(means.inside_mean - means.outside_mean), 0), 0
        ) AS moved
        , SUM(means.inside) AS inside
    FROM means
    JOIN squares ON squares.record = means.record
)
SELECT
    means.record
    , CASE
        WHEN pooled.inside > 0
            THEN (COALESCE(means.inside_sum, 0) + COALESCE(means.outside_mean, means.inside_mean - pooled.moved) + pooled.moved) / (means.inside + 1)
    END AS inside_mean
    , CASE
        WHEN pooled.inside = 0 THEN NULL
        WHEN LEAST(means.inside, means.outside) >= 32 THEN SQRT(GREATEST((squares.inside_squares + pooled.variance) / means.inside, 1e-12))
        ELSE SQRT(GREATEST((squares.inside_squares + squares.outside_squares + pooled.variance) / (means.inside + means.outside + 1 - LEAST(means.inside, 1) - LEAST(means.outside, 1)), 1e-12))
    END AS inside_deviation
    , COALESCE(means.outside_mean, means.inside_mean - pooled.moved) AS outside_mean
    , CASE
        WHEN LEAST(means.inside, means.outside) >= 32 THEN SQRT(GREATEST((squares.outside_squares + pooled.variance) / means.outside, 1e-12))
        ELSE SQRT(GREATEST((squares.inside_squares + squares.outside_squares + pooled.variance) / (means.inside + means.outside + 1 - LEAST(means.inside, 1) - LEAST(means.outside, 1)), 1e-12))
    END AS outside_deviation
FROM means
JOIN squares ON squares.record = means.record
CROSS JOIN pooled
