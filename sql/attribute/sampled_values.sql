-- sampled_values
-- The risk of an attribute from a few of its values where a distributed engine counted these: as attribute_sample.
--
-- idea: the engine gives for each value its records, its users and its two places in the orders by which values are
--   drawn, and no value; the rest is attribute_sample's. Tests hold the two equal.
-- source: as attribute_sample
-- runs: finish
-- makes: value_users

-- name: value_users
-- How many records and users each value has, and its places in the two orders by which values are drawn.
--
-- missing: a record without a user or without a value is left out
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record
-- parameter attribute: attribute, what the attacker learns
-- parameter seed: integer, chooses the values
CREATE OR REPLACE TEMP TABLE value_users AS
WITH history AS (
    SELECT {{ user | person }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
counted AS (
    SELECT value, CAST(value AS STRING) AS text, COUNT(*) AS records, COUNT(DISTINCT user_id) AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
-- Engines put values that are known together in brackets of different kinds.
knowledge AS (
    SELECT value, records, users, {% if attribute.parts | length > 1 %}'(' || SUBSTR(text, 2, LENGTH(text) - 2) || ')'{% else %}text{% endif %} AS text
    FROM counted
),
everybody AS (
    SELECT COUNT(DISTINCT user_id) AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
)
SELECT
    knowledge.records,
    knowledge.users,
    everybody.users AS all_users,
    CAST(ROW_NUMBER() OVER (
        ORDER BY MD5('{{ seed | literal }} order ' || knowledge.text), knowledge.value
    ) AS BIGINT) AS order_place,
    CAST(ROW_NUMBER() OVER (
        ORDER BY MD5('{{ seed | literal }} draw ' || knowledge.text), knowledge.value
    ) AS BIGINT) AS draw_place
FROM knowledge CROSS JOIN everybody

-- name: sampled_values
-- The risk of an attribute from some of its counted values, with a confidence interval: as attribute_sample.
--
-- parameter samples: integer, s, how many values are drawn, 1 or more
-- parameter confidence: number, of the interval: 0.80, 0.90, 0.95 or 0.99; no ends for others
WITH quantiles (df, q80, q90, q95, q99) AS (
    VALUES
        (1, 3.0777, 6.3138, 12.7062, 63.6567), (2, 1.8856, 2.92, 4.3027, 9.9248), (3, 1.6377, 2.3534, 3.1824, 5.8409),
        (4, 1.5332, 2.1318, 2.7764, 4.6041), (5, 1.4759, 2.015, 2.5706, 4.0321), (6, 1.4398, 1.9432, 2.4469, 3.7074),
        (7, 1.4149, 1.8946, 2.3646, 3.4995), (8, 1.3968, 1.8595, 2.306, 3.3554), (9, 1.383, 1.8331, 2.2622, 3.2498),
        (10, 1.3722, 1.8125, 2.2281, 3.1693), (11, 1.3634, 1.7959, 2.201, 3.1058), (12, 1.3562, 1.7823, 2.1788, 3.0545),
        (13, 1.3502, 1.7709, 2.1604, 3.0123), (14, 1.345, 1.7613, 2.1448, 2.9768), (15, 1.3406, 1.7531, 2.1314, 2.9467),
        (16, 1.3368, 1.7459, 2.1199, 2.9208), (17, 1.3334, 1.7396, 2.1098, 2.8982), (18, 1.3304, 1.7341, 2.1009, 2.8784),
        (19, 1.3277, 1.7291, 2.093, 2.8609), (20, 1.3253, 1.7247, 2.086, 2.8453), (24, 1.3178, 1.7109, 2.0639, 2.7969),
        (29, 1.3114, 1.6991, 2.0452, 2.7564), (39, 1.3036, 1.6849, 2.0227, 2.7079), (49, 1.2991, 1.6766, 2.0096, 2.68),
        (74, 1.2931, 1.6657, 1.9925, 2.6439), (99, 1.2902, 1.6604, 1.9842, 2.6264), (199, 1.2858, 1.6525, 1.972, 2.6008),
        (499, 1.2833, 1.6479, 1.9647, 2.5857), (999, 1.2824, 1.6464, 1.9623, 2.5808)
),
counted AS (
    SELECT records, users, order_place, draw_place FROM value_users
),
totals AS (
    SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records, MAX(all_users) AS users FROM value_users
),
-- A value has at most all users, and all but one of its records repeat a user at most as often as
-- the whole table does.
possible AS (
    SELECT
        counted.order_place,
        counted.draw_place,
        counted.records,
        counted.users,
        LEAST(counted.records, totals.users) AS most_users,
        GREATEST(1, counted.records - (totals.records - totals.users)) AS fewest_users
    FROM counted CROSS JOIN totals
),
bounded AS (
    SELECT
        order_place,
        draw_place,
        records,
        users,
        CAST(records AS DOUBLE) / most_users AS alpha_low,
        CAST(records AS DOUBLE) / fewest_users AS alpha_high,
        CASE WHEN fewest_users < most_users THEN 1 ELSE 0 END AS open
    FROM possible
),
bounds AS (
    SELECT
        CAST(SUM(CAST(alpha_low AS DECIMAL(38, 18))) AS DOUBLE) AS base,
        CAST(SUM(CAST(alpha_high - alpha_low AS DECIMAL(38, 18))) AS DOUBLE) AS room,
        SUM(open) AS open_values,
        LEAST({{ samples | literal }}, SUM(open)) AS samples
    FROM bounded
),
ranked AS (
    SELECT
        bounded.draw_place,
        bounded.records,
        bounded.users,
        bounded.alpha_low,
        bounded.alpha_high,
        bounds.open_values,
        bounds.samples,
        ROW_NUMBER() OVER (
            ORDER BY bounded.records DESC, bounded.order_place
        ) AS place
    FROM bounded CROSS JOIN bounds
    WHERE bounded.open = 1
),
tiled AS (
    SELECT
        draw_place,
        records,
        users,
        alpha_low,
        alpha_high,
        FLOOR(CAST((place - 1) * samples AS DOUBLE) / open_values) AS tile
    FROM ranked
),
drawn AS (
    SELECT
        records,
        users,
        alpha_low,
        alpha_high,
        COUNT(*) OVER (PARTITION BY tile) AS tile_size,
        ROW_NUMBER() OVER (PARTITION BY tile ORDER BY draw_place) AS turn
    FROM tiled
),
sampled AS (
    SELECT records, users, alpha_low, alpha_high, tile_size FROM drawn WHERE turn = 1
),
-- What alpha_x exceeds its lower bound by.
seen AS (
    SELECT
        sampled.records,
        sampled.tile_size,
        sampled.alpha_high - sampled.alpha_low AS room,
        CAST(sampled.records AS DOUBLE) / sampled.users - sampled.alpha_low AS excess
    FROM sampled
),
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
    (bounds.base + CASE WHEN ends.samples IS NULL THEN 0 ELSE LEAST(GREATEST(ends.total_excess, ends.lower), ends.upper) END)
        / totals.records AS estimate,
    (bounds.base + CASE WHEN ends.samples IS NULL THEN 0 ELSE ends.lower END) / totals.records AS lower,
    (bounds.base + CASE WHEN ends.samples IS NULL THEN 0 ELSE ends.upper END) / totals.records AS upper
FROM totals CROSS JOIN bounds LEFT JOIN ends ON 1 = 1
