-- pair_classes
-- Counts the classes of each attribute and of each pair, to find attributes that add nothing to another.
--
-- definition: where a pair has as many classes as one of its two, the other depends on that one
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
-- parameter most: integer, look at so many combinations at most
-- parameter masks: integers, the attributes and pairs to look at, all of them where empty
WITH single AS (
    SELECT bit AS mask{% for word in range(words) %}, f{{ word }}{% endfor %} FROM searched_attributes WHERE searched
),
wanted AS (
    SELECT ROW_NUMBER() OVER () AS number, *
    FROM (
        SELECT * FROM single
        UNION ALL
        SELECT a.mask | b.mask{% for word in range(words) %}, a.f{{ word }} | b.f{{ word }}{% endfor %}

        FROM single AS a
        JOIN single AS b ON a.mask < b.mask
    ) AS listed
{% if masks %}
    WHERE list_contains({{ masks | literal }}, mask)
{% endif %}
),
combined AS (
    SELECT * FROM {{ table | identifier }} LIMIT {{ most | literal }}
),
classes AS (
    SELECT wanted.mask
    FROM combined, wanted
    GROUP BY wanted.mask{% for word in range(words) %}, combined.p{{ word }} & wanted.f{{ word }}{% endfor %}

)
SELECT mask, COUNT(*) AS classes
FROM classes
GROUP BY mask
ORDER BY mask
