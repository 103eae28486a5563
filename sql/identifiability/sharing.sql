-- sharing
-- Lists the records whose combination another record has, too.
--
-- portable: no
--
-- parameter table: column, the combinations, or a part of them that holds all or none of those that are equal
-- parameter words: integer, words of a combination
INSERT INTO sharing BY NAME
WITH repeated AS (
    SELECT {% for word in range(words) %}p{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ table | identifier }}
    GROUP BY ALL
    HAVING COUNT(*) > 1
)
SELECT id
FROM {{ table | identifier }}
SEMI JOIN repeated USING ({% for word in range(words) %}p{{ word }}{% if not loop.last %}, {% endif %}{% endfor %})
