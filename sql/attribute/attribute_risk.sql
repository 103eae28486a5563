-- attribute_risk
-- The probability that an attacker who learns one value of an attribute identifies the person.
--
-- definition: R(X) = sum over values x of Pr(x) Pr(idf|x), with Pr(x) = |R_x| / m and
--   Pr(idf|x) = 1 / |U_x|; R_x are the records with value x, U_x their users, m all records.
--   The mean model R_mean(X) = alpha_X omega / m, with alpha_x = |R_x| / |U_x| and alpha_X its mean
--   over the omega distinct values, is the same number. The minimum-cost model takes every
--   alpha_x as 1: R_cost(X) = omega / m.
-- source: Ito, definitions 2.1 to 2.5, 3.1 and 3.2, theorem 3.1
-- missing: a record without a user or without a value is left out; "records" counts the others; "?" and similar texts
--   are values unless they are named as missing values.
-- read: at 0.32 an attacker who learns this attribute of a random record identifies its person with a probability of
--   32 %. The risk lies between omega / m and 1.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attributes: attributes, the values that the attacker learns: a column or a composite of columns, or
--   several, each by itself; more than 16 have values of one type
-- parameter k: integer, a value shared by fewer than k users counts as rare
-- parameter counted: column or none, number of people that a record represents; none takes one
--
-- include: attribute_risk_columns
WITH history AS (
    SELECT
{% if user %}
        {{ user | person }} AS user_id,
{% endif %}
{% if counted %}
        {{ counted | identifier }} AS people,
{% endif %}
{% if attributes | length > 16 %}
        [{{ attributes | each("{x.value}") }}] AS listed
{% else %}
{% for attribute in attributes %}
        {{ attribute | value }} AS value_{{ loop.index }}{{ loop | between }}
{% endfor %}
{% endif %}
    FROM {{ source | relation }}
),
knowledge AS (
{% if attributes | length > 16 %}
    -- A part for each attribute takes the engine longer to plan than few records take to read.
    SELECT position, {% if counted %}SUM(people){% else %}COUNT(*){% endif %} AS records,
        {% if user %}COUNT(DISTINCT
        user_id){% else %}{% if counted %}SUM(people){% else %}COUNT(*){% endif %}{% endif %} AS users
    FROM (
        SELECT {% if user %}user_id, {% endif %}{% if counted %}people, {% endif %}

            UNNEST(RANGE({{ attributes | length }})) AS position, UNNEST(listed) AS value
        FROM history
    ) AS learnt
    WHERE value IS NOT NULL{% if user %} AND user_id IS NOT NULL{% endif %}

    GROUP BY position, value
    UNION ALL
{% else %}
{% for attribute in attributes %}
    SELECT {{ loop.index0 }} AS position, {% if counted %}SUM(people){% else %}COUNT(*){% endif %} AS records,
        {% if user %}COUNT(DISTINCT
        user_id){% else %}{% if counted %}SUM(people){% else %}COUNT(*){% endif %}{% endif %} AS users
    FROM history
    WHERE value_{{ loop.index }} IS NOT NULL{% if user %} AND user_id IS NOT NULL{% endif %}

    GROUP BY value_{{ loop.index }}
    UNION ALL
{% endfor %}
{% endif %}
    -- An attribute without values has its row as well.
    SELECT position, 0, NULL
    FROM (VALUES {{ attributes | each("({i})") }}) AS positions (position)
),
-- include: attribute_risk_figures
