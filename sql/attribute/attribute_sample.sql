-- attribute_sample
-- The risk of an attribute from a few of its values, with a confidence interval.
--
-- definition: the users of s values are counted, of all others only the records |R_x|, which bound
--   alpha_x = |R_x| / |U_x|. Values whose alpha_x is certain from the bounds are never sampled. The others
--   are ordered by |R_x| and cut into s tiles of equal size; one value of each is drawn by MD5. The
--   interval is a t interval on the log scale for the mean excess of alpha_x over its bound, with the
--   spread and the upper centre taken as if two more values as large as the largest one had been drawn.
-- source: Ito, definition 3.3 (sampling model); the interval is duckrisk's own
-- missing: a record without a user or without a value is left out.
-- read: the interval holds the exact risk with about the given confidence, as far as simulation shows; when
--   one or two values carry most of the risk and are not drawn, no sample can know. With as many
--   sampled as distinct values the result is exact. So it is without a sample where each record is a person.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attribute: attribute, what the attacker learns
-- parameter samples: integer, s, how many values are drawn, 1 or more
-- parameter confidence: number, of the interval: 0.80, 0.90, 0.95 or 0.99; no ends for others
-- parameter seed: integer, chooses the values
-- parameter users: integer or none, the number of users where it is known and no value is missing; none
--   counts them
--
-- column sampled_values: BIGINT, values, values whose users were counted; 0 where the bounds alone decide
-- column records_read: BIGINT, records, records of these values: the cost of the model
-- column estimate: DOUBLE, probability, R_sample(X)
-- column lower: DOUBLE, probability, lower end of the interval
-- column upper: DOUBLE, probability, upper end of the interval
{% if not user and users is none %}
WITH totals AS (
    SELECT CAST(COUNT(DISTINCT value) AS DOUBLE) / NULLIF(COUNT(value), 0) AS risk
    FROM (SELECT {{ attribute | value }} AS value FROM {{ source | relation }}) AS history
)
SELECT CAST(0 AS BIGINT) AS sampled_values, CAST(0 AS BIGINT) AS records_read, risk AS estimate, risk AS lower, risk AS upper
FROM totals
{% else %}
WITH history AS (
    SELECT {{ user | person }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
quantiles (df, q80, q90, q95, q99) AS (
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
totals AS (
    SELECT COUNT(*) AS records, {% if users is not none %}{{ users | literal }}{% else %}COUNT(DISTINCT user_id){% endif %} AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
),
counted AS (
    SELECT value, COUNT(*) AS records
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
-- A value has at most all users, and all but one of its records repeat a user at most as often as
-- the whole table does.
possible AS (
    SELECT
        counted.value,
        counted.records,
        LEAST(counted.records, totals.users) AS most_users,
        GREATEST(1, counted.records - (totals.records - totals.users)) AS fewest_users
    FROM counted CROSS JOIN totals
),
bounded AS (
    SELECT
        value,
        records,
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
        bounded.value,
        bounded.records,
        bounded.alpha_low,
        bounded.alpha_high,
        bounds.open_values,
        bounds.samples,
        ROW_NUMBER() OVER (
            ORDER BY bounded.records DESC, MD5('{{ seed | literal }} order ' || CAST(bounded.value AS STRING)), bounded.value
        ) AS place
    FROM bounded CROSS JOIN bounds
    WHERE bounded.open = 1
),
tiled AS (
    SELECT
        value,
        records,
        alpha_low,
        alpha_high,
        FLOOR(CAST((place - 1) * samples AS DOUBLE) / open_values) AS tile
    FROM ranked
),
drawn AS (
    SELECT
        value,
        records,
        alpha_low,
        alpha_high,
        COUNT(*) OVER (PARTITION BY tile) AS tile_size,
        ROW_NUMBER() OVER (
            PARTITION BY tile ORDER BY MD5('{{ seed | literal }} draw ' || CAST(value AS STRING)), value
        ) AS turn
    FROM tiled
),
sampled AS (
    SELECT value, records, alpha_low, alpha_high, tile_size FROM drawn WHERE turn = 1
),
users_of_sampled AS (
    SELECT history.value, COUNT(DISTINCT history.user_id) AS users
    FROM history
    WHERE history.user_id IS NOT NULL AND history.value IN (SELECT value FROM sampled)
    GROUP BY history.value
),
-- What alpha_x exceeds its lower bound by.
seen AS (
    SELECT
        sampled.records,
        sampled.tile_size,
        sampled.alpha_high - sampled.alpha_low AS room,
        CAST(sampled.records AS DOUBLE) / users_of_sampled.users - sampled.alpha_low AS excess
    FROM sampled JOIN users_of_sampled ON users_of_sampled.value = sampled.value
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
{% endif %}
