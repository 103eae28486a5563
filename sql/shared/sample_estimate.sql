-- sample_estimate
-- The risk that sampled values estimate, with its confidence interval; reads seen, bounds, totals and quantiles.

sums AS (
    SELECT
        COUNT(*) AS samples,
        CAST(SUM(records) AS BIGINT) AS records_read,
        MAX(excess) AS largest,
        MIN(excess) AS smallest,
        CAST(SUM(CAST(excess AS DECIMAL(38, 18))) AS DOUBLE) AS seen_excess,
        CAST(SUM(CAST(tile_size * excess AS DECIMAL(38, 18))) AS DOUBLE) AS total_excess,
        CAST(SUM(CAST(room AS DECIMAL(38, 18))) AS DOUBLE) AS seen_room
    FROM seen
),
-- The two more values. Where all excesses are equal they are taken one larger, so that no sample
-- claims certainty.
extended AS (
    SELECT
        samples,
        records_read,
        seen_excess,
        total_excess,
        seen_room,
        seen_excess / samples AS mean,
        CASE WHEN smallest = largest THEN 1 ELSE 0 END AS flat,
        CASE WHEN smallest = largest THEN largest + 1 ELSE largest END AS extra
    FROM sums
    WHERE samples > 0
),
-- Squares relative to the largest excess, so that the decimals cannot overflow.
spread AS (
    SELECT CAST(SUM(CAST(
        ((seen.excess - extended.mean) / extended.extra) * ((seen.excess - extended.mean) / extended.extra)
        AS DECIMAL(38, 18))) AS DOUBLE) AS squares
    FROM seen CROSS JOIN extended
),
quantile AS (
    SELECT quantiles.df, CASE
        WHEN ABS({{ confidence | literal }} - 0.80) < 1e-4 THEN q80
        WHEN ABS({{ confidence | literal }} - 0.90) < 1e-4 THEN q90
        WHEN ABS({{ confidence | literal }} - 0.95) < 1e-4 THEN q95
        WHEN ABS({{ confidence | literal }} - 0.99) < 1e-4 THEN q99
    END AS t
    FROM quantiles
    JOIN (
        SELECT MAX(quantiles.df) AS df
        FROM quantiles CROSS JOIN sums
        WHERE quantiles.df <= GREATEST(1, sums.samples - 1)
    ) AS nearest ON nearest.df = quantiles.df
),
centred AS (
    SELECT
        extended.samples,
        extended.records_read,
        extended.seen_excess,
        extended.total_excess,
        extended.flat,
        bounds.open_values,
        extended.seen_excess + bounds.room - extended.seen_room AS most_excess,
        extended.total_excess / bounds.open_values AS centre,
        (extended.samples * (extended.total_excess / bounds.open_values) + 2 * extended.extra)
            / (extended.samples + 2) AS upper_centre,
        quantile.t * extended.extra * SQRT(
            (spread.squares + CAST(extended.samples * 2 AS DOUBLE) / (extended.samples + 2)
                * (1 - extended.mean / extended.extra) * (1 - extended.mean / extended.extra))
            / (extended.samples + 1) / (extended.samples + 2)
        ) AS half_width
    FROM extended CROSS JOIN spread CROSS JOIN bounds CROSS JOIN quantile
),
ends AS (
    SELECT
        samples,
        records_read,
        total_excess,
        CASE WHEN samples = open_values OR flat = 1 THEN seen_excess
             WHEN half_width IS NULL THEN NULL
             ELSE GREATEST(seen_excess, open_values * centre * EXP(-LEAST(half_width / centre, 50)))
        END AS lower,
        CASE WHEN samples = open_values THEN seen_excess
             WHEN samples = 1 THEN most_excess
             WHEN half_width IS NULL THEN NULL
             ELSE LEAST(most_excess, open_values * upper_centre * EXP(LEAST(half_width / upper_centre, 50)))
        END AS upper
    FROM centred
)
SELECT
    CAST(COALESCE(ends.samples, 0) AS BIGINT) AS sampled_values,
    CAST(COALESCE(ends.records_read, 0) AS BIGINT) AS records_read,
    (bounds.base
        + CASE WHEN ends.samples IS NULL THEN 0 ELSE LEAST(GREATEST(ends.total_excess, ends.lower), ends.upper) END)
        / totals.records AS estimate,
    (bounds.base + CASE WHEN ends.samples IS NULL THEN 0 ELSE ends.lower END) / totals.records AS lower,
    (bounds.base + CASE WHEN ends.samples IS NULL THEN 0 ELSE ends.upper END) / totals.records AS upper
FROM totals CROSS JOIN bounds LEFT JOIN ends ON 1 = 1
