-- noisy_targets
-- The drawn targets by number of known facts, and how many of these are wrong; reads people and bounds.

ranked AS (
    SELECT
        people.target,
        asked.known,
        COUNT(*) OVER (PARTITION BY asked.known) AS eligible,
        ROW_NUMBER() OVER (
            PARTITION BY asked.known ORDER BY MD5('{{ seed | literal }} target ' || people.target), people.target
        ) AS place
    FROM people
    JOIN (VALUES (1), (2), (4), (8)) AS asked (known) ON people.facts >= asked.known
),
targets AS MATERIALIZED (
    SELECT target, known, eligible
    FROM ranked
    CROSS JOIN bounds
    WHERE place <= LEAST({{ targets | literal }}, GREATEST(30, bounds.affordable))
),
attackers AS MATERIALIZED (
    SELECT
        targets.target,
        targets.known,
        targets.eligible,
        asked.wrong_percent,
        CAST(FLOOR(
            targets.known * asked.wrong_percent / 100
            + CAST('0x' || SUBSTR(MD5('{{ seed | literal }} share ' || targets.target), 1, 13) AS BIGINT)
                / 4503599627370496
        ) AS INTEGER) AS wrong
    FROM targets
    CROSS JOIN (VALUES (0), (10), (25)) AS asked (wrong_percent)
),
