-- frequent_pairs
-- Baskets, frequent items and frequent pairs of items.

WITH history AS (
    SELECT
        {{ user | person }} AS user_id,
{% for column in basket %}
        {{ column | identifier }} AS b{{ loop.index }},
{% endfor %}
        CAST({{ item | identifier }} AS VARCHAR) AS item
    FROM {{ source | relation }}
),
bought AS (
    SELECT user_id, {% for column in basket %}b{{ loop.index }}, {% endfor %}item
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY user_id, {% for column in basket %}b{{ loop.index }}, {% endfor %}item
),
baskets AS (
    SELECT ROW_NUMBER() OVER () AS basket, LIST(item) AS items
    FROM bought
    GROUP BY user_id{% for column in basket %}, b{{ loop.index }}{% endfor %}

),
totals AS (
    SELECT COUNT(*) AS baskets FROM baskets
),
contents AS (
    SELECT basket, UNNEST(items) AS item FROM baskets
),
frequent AS (
    SELECT contents.item, COUNT(*) AS baskets
    FROM contents
    GROUP BY contents.item
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= {{ least_support | literal }}
),
numbered AS (
    SELECT ROW_NUMBER() OVER (ORDER BY item) AS number, item, baskets FROM frequent
),
kept AS (
    SELECT contents.basket, numbered.number
    FROM contents
    JOIN numbered ON numbered.item = contents.item
),
pairs AS (
    SELECT a.number AS first, b.number AS second, COUNT(*) AS baskets
    FROM kept AS a
    JOIN kept AS b ON b.basket = a.basket AND a.number < b.number
    GROUP BY a.number, b.number
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= {{ least_support | literal }}
),
