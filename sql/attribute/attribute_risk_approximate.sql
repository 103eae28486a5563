-- attribute_risk_approximate
-- The figures of attribute_risk with an estimated instead of an exact number of users of each value.
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
-- parameter attributes: attributes, the values that the attacker learns: a column or a composite of columns, or
--   several, each by itself
-- parameter k: integer, a value shared by fewer than k users counts as rare
--
-- include: attribute_risk_columns
WITH history AS (
    SELECT
{% if user %}
        {{ user | person }} AS user_id,
{% endif %}
{% for attribute in attributes %}
        {{ attribute | value }} AS value_{{ loop.index }}{{ loop | between }}
{% endfor %}
    FROM {{ source | relation }}
),
knowledge AS (
{% for attribute in attributes %}
    SELECT {{ loop.index0 }} AS position, COUNT(*) AS records,
        {% if user %}GREATEST(1, LEAST(APPROX_COUNT_DISTINCT(user_id), COUNT(*))){% else %}COUNT(*){% endif %} AS users
    FROM history
    WHERE value_{{ loop.index }} IS NOT NULL{% if user %} AND user_id IS NOT NULL{% endif %}

    GROUP BY value_{{ loop.index }}
    UNION ALL
{% endfor %}
    -- An attribute without values has its row as well.
    SELECT position, 0, NULL
    FROM (VALUES {{ attributes | each("({i})") }}) AS positions (position)
),
-- include: attribute_risk_figures
