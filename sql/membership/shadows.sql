-- shadows
-- Shadow releases: releases that an attacker makes of own records to learn the effect of membership.
--
-- idea: a pool of records is dealt into groups as large as the release, and each group is made into a shadow by the
--   generator. A candidate's statistic in shadows with it and in those without gives two normal distributions.
-- source: Carlini et al., Membership inference attacks from first principles, 2022
-- runs: finish
--
-- parameter name: column, the table

-- name: shadow_sample
-- Creates the table of the records of one shadow: one of the groups that a pool is split into.
--
-- definition: the order of MD5(seed:round:record), every groups-th record from the group-th on; numbered anew from 0
-- source: Carlini et al., Membership inference attacks from first principles, 2022; groups in place of coins are our
--   own: each record is in as many shadows as another
--
-- takes: name
-- parameter source: relation, the pool
-- parameter columns: columns, of the records
-- parameter groups: integer, number of groups
-- parameter group: integer, from 0, which one is taken
-- parameter round: integer, each deals anew
-- parameter seed: integer, another seed deals anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH dealt AS (
    SELECT
        records.*
        , ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':', {{ round | literal }}, ':', record)),
            record) - 1 AS turn
    FROM {{ source | relation }} AS records
)
SELECT
    turn // {{ groups | literal }} AS record
    , record AS candidate
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM dealt
WHERE MOD(turn, {{ groups | literal }}) = {{ group | literal }}
ORDER BY record

-- name: shadow_statistics
-- Creates the table of one shadow's statistic for each candidate, and whether the candidate was in the shadow.
--
-- definition: statistic = -ln(1 + the distance to the nearest record of the shadow)
-- source: Carlini et al., Membership inference attacks from first principles, 2022; this statistic of tables is our own
--
-- takes: name
-- parameter nearest: relation, each candidate with its nearest record of the shadow
-- parameter members: relation or none, the records that the shadow was made of, by their candidates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    nearest.record
    , -LN(1 + SQRT(nearest.squared_distance)) AS statistic
    , {% if members is none %}FALSE{% else %}members.candidate IS NOT NULL{% endif %} AS inside
FROM {{ nearest | relation }} AS nearest
{% if members is not none %}
LEFT JOIN {{ members | relation }} AS members ON members.candidate = nearest.record
{% endif %}

-- name: shadow_sums
-- Creates the table of the statistic over all shadows: number, sum and sum of squares, for each candidate.
--
-- definition: sums of statistic - base, and of its square, by shadows with the candidate (inside) and without
--   (outside); base is the statistic of the first shadow
--
-- takes: name
-- parameter statistics: relation, those of one more shadow
-- parameter before: relation or none, the sums of the others; none for the first shadow
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH told AS (
    SELECT
        statistics.record
        , {% if before is none %}statistics.statistic{% else %}sums.base{% endif %} AS base
        , statistics.inside
        , CAST(statistics.statistic - {% if before is none %}statistics.statistic{% else %}sums.base{% endif %}
            AS DECIMAL(38, 18)) AS moved
        , CAST(POWER(statistics.statistic - {% if before is none %}statistics.statistic{% else %}sums.base{% endif %},
            2) AS DECIMAL(38, 18)) AS square
{% for side in ['inside', 'outside'] %}
        , {% if before is none %}CAST(0 AS BIGINT){% else %}sums.{{ (side ~ '_shadows') | identifier }}{% endif %}
            AS {{ (side ~ '_shadows') | identifier }}
        , {% if before is none %}CAST(0 AS DECIMAL(38, 18)){% else %}sums.{{ (side ~ '_sum') | identifier }}{% endif %}
            AS {{ (side ~ '_sum') | identifier }}
        , {% if before is none %}CAST(0
            AS DECIMAL(38, 18)){% else %}sums.{{ (side ~ '_squares') | identifier }}{% endif %}
            AS {{ (side ~ '_squares') | identifier }}
{% endfor %}
    FROM {{ statistics | relation }} AS statistics
{% if before is not none %}
    JOIN {{ before | relation }} AS sums ON sums.record = statistics.record
{% endif %}
)
SELECT
    record
    , base
    , inside_shadows + CASE WHEN inside THEN 1 ELSE 0 END AS inside_shadows
    , inside_sum + CASE WHEN inside THEN moved ELSE 0 END AS inside_sum
    , inside_squares + CASE WHEN inside THEN square ELSE 0 END AS inside_squares
    , outside_shadows + CASE WHEN inside THEN 0 ELSE 1 END AS outside_shadows
    , outside_sum + CASE WHEN inside THEN 0 ELSE moved END AS outside_sum
    , outside_squares + CASE WHEN inside THEN 0 ELSE square END AS outside_squares
FROM told

-- name: shadow_fits
-- Creates the table of normal distributions of each candidate's statistic, in shadows with it and without it.
--
-- definition: the mean of the shadows with a candidate counts its mean without, moved as all are moved in the mean,
--   as one more shadow. With fewer than 32 shadows on either side both have one variance, (sums of squares of both +
--   pooled variance) / (shadows + 1 - sides), else each its own, (sum of squares + pooled variance) / shadows; the
--   pooled variance is that of all candidates within their shadows. A variance is 1e-12 at least.
-- source: Carlini et al., Membership inference attacks from first principles, 2022, who pool variances of few
--   shadows; how is our own
-- missing: without any shadow of a side there is no distribution (NULL) on it
--
-- takes: name
-- parameter sums: relation, the statistics of each candidate over all shadows
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH means AS (
    SELECT
        record
        , inside_shadows AS inside
        , outside_shadows AS outside
        , CAST(inside_sum AS DOUBLE) + inside_shadows * base AS inside_sum
        , base + CAST(inside_sum AS DOUBLE) / NULLIF(inside_shadows, 0) AS inside_mean
        , base + CAST(outside_sum AS DOUBLE) / NULLIF(outside_shadows, 0) AS outside_mean
        , GREATEST(CAST(inside_squares AS DOUBLE)
            - COALESCE(POWER(CAST(inside_sum AS DOUBLE), 2) / NULLIF(inside_shadows, 0), 0), 0) AS inside_squares
        , GREATEST(CAST(outside_squares AS DOUBLE)
            - COALESCE(POWER(CAST(outside_sum AS DOUBLE), 2) / NULLIF(outside_shadows, 0), 0), 0) AS outside_squares
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
            THEN (COALESCE(means.inside_sum, 0) + COALESCE(means.outside_mean, means.inside_mean - pooled.moved)
                + pooled.moved) / (means.inside + 1)
    END AS inside_mean
    , CASE
        WHEN pooled.inside = 0 THEN NULL
        WHEN LEAST(means.inside, means.outside) >= 32
            THEN SQRT(GREATEST((means.inside_squares + pooled.variance) / means.inside, 1e-12))
        ELSE SQRT(GREATEST(
            (means.inside_squares + means.outside_squares + pooled.variance)
            / (means.inside + means.outside + 1 - LEAST(means.inside, 1) - LEAST(means.outside, 1)), 1e-12))
    END AS inside_deviation
    , COALESCE(means.outside_mean, means.inside_mean - pooled.moved) AS outside_mean
    , CASE
        WHEN LEAST(means.inside, means.outside) >= 32
            THEN SQRT(GREATEST((means.outside_squares + pooled.variance) / means.outside, 1e-12))
        ELSE SQRT(GREATEST(
            (means.inside_squares + means.outside_squares + pooled.variance)
            / (means.inside + means.outside + 1 - LEAST(means.inside, 1) - LEAST(means.outside, 1)), 1e-12))
    END AS outside_deviation
FROM means
CROSS JOIN pooled
