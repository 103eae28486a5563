-- attribute_sample
-- The risk of an attribute estimated from a sample of its values, with a confidence interval.
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
-- parameter attribute: attribute, the value that the attacker learns
-- parameter samples: integer, s, number of sampled values, 1 or more
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
SELECT CAST(0 AS BIGINT) AS sampled_values, CAST(0 AS BIGINT) AS records_read, risk AS estimate, risk AS lower,
    risk AS upper
FROM totals
{% else %}
WITH history AS (
    SELECT {{ user | person }} AS user_id, {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
-- include: student_quantiles
totals AS (
    SELECT COUNT(*) AS records,
        {% if users is not none %}{{ users | literal }}{% else %}COUNT(DISTINCT user_id){% endif %} AS users
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
            ORDER BY bounded.records DESC, MD5('{{ seed | literal }} order ' || CAST(bounded.value AS STRING)),
                bounded.value
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
-- Excess of alpha_x over its lower bound.
seen AS (
    SELECT
        sampled.records,
        sampled.tile_size,
        sampled.alpha_high - sampled.alpha_low AS room,
        CAST(sampled.records AS DOUBLE) / users_of_sampled.users - sampled.alpha_low AS excess
    FROM sampled JOIN users_of_sampled ON users_of_sampled.value = sampled.value
),
-- include: sample_estimate
{% endif %}
