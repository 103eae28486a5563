-- attribute_risk_approximate
-- The risk of attribute_risk with the users of a value estimated instead of counted.
--
-- definition: R(X) = sum over values x of Pr(x) Pr(idf|x), with Pr(x) = |R_x| / m and
--   Pr(idf|x) = 1 / |U_x|; R_x are the records with value x, U_x their users, m all records.
--   The mean model R_mean(X) = alpha_X omega / m, with alpha_x = |R_x| / |U_x| and alpha_X its mean
--   over the omega distinct values, is the same number. The minimum-cost model takes every
--   alpha_x as 1: R_cost(X) = omega / m.
--   |U_x| is estimated by HyperLogLog and kept between 1 and |R_x|.
-- source: Ito, definitions 2.1 to 2.5, 3.1 and 3.2, theorem 3.1; Flajolet et al. 2007
-- missing: a record without a user or without a value is left out; "records" counts the others.
-- read: as attribute_risk, at about a third of its time; the risk is mostly within 3 % of the exact one,
--   the columns on the rarest values are rougher.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attributes: attributes, what the attacker learns: a column or a composite of columns, or several, each by itself
-- parameter k: integer, a value shared by fewer than k users counts as rare
--
-- column position: INTEGER, position, the attribute's place among those given, from 0
-- column records: BIGINT, records, m: records that have a user and a value
-- column distinct_values: BIGINT, values, omega
-- column mean_risk: DOUBLE, probability, R(X)
-- column mean_model_risk: DOUBLE, probability, R_mean(X), equal to R(X) up to rounding
-- column mean_records_per_user: DOUBLE, records per user, alpha_X
-- column minimum_cost_risk: DOUBLE, probability, R_cost(X)
-- column max_value_risk: DOUBLE, probability, the largest Pr(idf|x)
-- column singled_out_records: BIGINT, records, records whose value one user alone has
-- column share_singled_out: DOUBLE, share of records, singled_out_records / records
-- column records_below_k: BIGINT, records, records whose value fewer than k users have
-- column share_below_k: DOUBLE, share of records, records_below_k / records
-- column singled_out_values: BIGINT, values, values that one user alone has
WITH history AS (
    SELECT
        {{ user | person }} AS user_id,
{% for attribute in attributes %}
        {{ attribute | value }} AS value_{{ loop.index }}{{ loop | between }}
{% endfor %}
    FROM {{ source | relation }}
),
knowledge AS (
{% for attribute in attributes %}
    SELECT {{ loop.index0 }} AS position, COUNT(*) AS records, {% if user %}GREATEST(1, LEAST(APPROX_COUNT_DISTINCT(user_id), COUNT(*))){% else %}COUNT(*){% endif %} AS users
    FROM history
    WHERE value_{{ loop.index }} IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value_{{ loop.index }}
    UNION ALL
{% endfor %}
    -- An attribute without values has its row as well.
    SELECT position, 0, NULL
    FROM (VALUES {{ attributes | each("({i})") }}) AS positions (position)
),
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
