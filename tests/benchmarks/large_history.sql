-- A purchase history of any size for benchmarks, as fast as the engine writes: five attributes, users
-- and items of very different activity. Set the variables records, users and path first.
COPY (
    SELECT
        CAST(FLOOR(getvariable('users') * u * SQRT(u)) AS INTEGER) AS user_id,
        TIMESTAMP '2024-01-01 07:00:00'
            + to_days(CAST((visit % 340) AS INTEGER))
            + to_minutes(CAST((visit // 340) % 840 AS INTEGER)) AS bought_at,
        'I' || lpad(CAST(CAST(FLOOR(30000 * i * i) AS INTEGER) AS VARCHAR), 6, '0') AS item,
        CAST(CAST(FLOOR(30000 * i * i) AS INTEGER) * 7919 % 499 + 1 AS DECIMAL(8, 2)) / 4 AS price,
        CAST(1 + FLOOR(q * q * q * q * 96) AS INTEGER) AS quantity
    FROM (
        SELECT
            (hash(n) % 1000003) / 1000003 AS u,
            (hash(n, 'item') % 1000003) / 1000003 AS i,
            (hash(n, 'quantity') % 1000003) / 1000003 AS q,
            hash(CAST(FLOOR(getvariable('users') * ((hash(n) % 1000003) / 1000003)) AS BIGINT), n % 11, 'visit') % 285600 AS visit
        FROM range(getvariable('records')) AS numbers(n)
    )
) TO (getvariable('path')) (FORMAT parquet, COMPRESSION zstd);
