-- attribute_risk_figures
-- The risk of each attribute from the records and users of its values; reads knowledge.

-- Values with equally many users are summed as integers first: the result is exact to the last
-- digit and does not depend on the order of the records.
by_users AS (
    SELECT position, users, COUNT(users) AS distinct_values, SUM(records) AS records
    FROM knowledge
    GROUP BY position, users
),
totals AS (
    SELECT
        position,
        CAST(SUM(records) AS BIGINT) AS records,
        CAST(SUM(distinct_values) AS BIGINT) AS distinct_values,
        CAST(SUM(CAST(CAST(records AS DOUBLE) / users AS DECIMAL(38, 18))) AS DOUBLE) AS alphas,
        CAST(MIN(users) AS DOUBLE) AS fewest_users,
        CAST(SUM(CASE WHEN users = 1 THEN records ELSE 0 END) AS BIGINT) AS singled_out_records,
        CAST(SUM(CASE WHEN users < {{ k | literal }} THEN records ELSE 0 END) AS BIGINT) AS records_below_k,
        CAST(SUM(CASE WHEN users = 1 THEN distinct_values ELSE 0 END) AS BIGINT) AS singled_out_values
    FROM by_users
    GROUP BY position
)
SELECT
    position,
    records,
    distinct_values,
    alphas / NULLIF(records, 0) AS mean_risk,
    (alphas / NULLIF(distinct_values, 0)) * distinct_values / NULLIF(records, 0) AS mean_model_risk,
    alphas / NULLIF(distinct_values, 0) AS mean_records_per_user,
    CAST(distinct_values AS DOUBLE) / NULLIF(records, 0) AS minimum_cost_risk,
    1 / NULLIF(fewest_users, 0) AS max_value_risk,
    singled_out_records,
    CAST(singled_out_records AS DOUBLE) / NULLIF(records, 0) AS share_singled_out,
    records_below_k,
    CAST(records_below_k AS DOUBLE) / NULLIF(records, 0) AS share_below_k,
    singled_out_values
FROM totals
ORDER BY position
