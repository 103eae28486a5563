-- people_in_seed_order
-- The people of a history with a number each, and in an order of their records that the seed fixes; reads history.

-- The order of users decides the estimated cost and so the number of draws; it must be fixed.
users AS MATERIALIZED (
    SELECT user_id, COUNT(*) AS records, ROW_NUMBER() OVER (ORDER BY user_id) AS number
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY user_id
),
in_seed_order AS (
    SELECT
        user_id,
        records,
        number,
        CAST(SUM(records) OVER (
            ORDER BY MD5(
                '{{ seed | literal }} '
                || CASE CAST(user_id AS STRING) WHEN '-0.0' THEN '0.0' ELSE CAST(user_id AS STRING) END),
                user_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) - records AS records_before
    FROM users
),
