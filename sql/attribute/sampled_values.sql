-- sampled_values
-- The figures of attribute_sample where a distributed engine counts records and users.
--
-- idea: the engine returns for each value its records, its users and its two indexes in the orders of the sample,
--   without the value; all else is as in attribute_sample. Tests hold the two equal.
-- source: as attribute_sample
-- runs: finish
-- makes: value_users

-- name: value_users
-- The records and users of each value, and its indexes in the two orders of the sample.
--
-- missing: a record without a user or without a value is left out
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record
-- parameter attribute: attribute, the value that the attacker learns
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
    SELECT value, records, users,
        {% if attribute.parts | length > 1 %}'(' || SUBSTR(text, 2, LENGTH(text) - 2) || ')'{% else %}text{% endif %}
        AS text
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
-- The risk of an attribute estimated from a sample of counted values, with a confidence interval.
--
-- parameter samples: integer, s, number of sampled values, 1 or more
-- parameter confidence: number, of the interval: 0.80, 0.90, 0.95 or 0.99; no ends for others
WITH
-- include: student_quantiles
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
-- Excess of alpha_x over its lower bound.
seen AS (
    SELECT
        sampled.records,
        sampled.tile_size,
        sampled.alpha_high - sampled.alpha_low AS room,
        CAST(sampled.records AS DOUBLE) / sampled.users - sampled.alpha_low AS excess
    FROM sampled
),
-- include: sample_estimate
