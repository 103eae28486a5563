-- treated_deletions
-- The combinations of values whose records are deleted: nobody else's cells agree with theirs on some of the sets.
--
-- definition: others can be alone once these are gone; so this is repeated until it finds nobody
-- portable: no
--
-- parameter words: integer, words of the cells
-- parameter sets: integers, for each set the bits of its fields in each word
-- parameter begin: integer, 1 to begin, 0 to add those who are alone among the others
{% if begin %}
CREATE OR REPLACE TEMP TABLE treated_deletions AS
{% else %}
INSERT INTO treated_deletions
{% endif %}
WITH sets AS (
    SELECT * FROM (
        VALUES
{% for fields in sets %}
        ({{ loop.index0 }}{% for field in fields %}, CAST({{ field }} AS BIGINT){% endfor %}){% if not loop.last %},{% endif %}

{% endfor %}
    ) AS listed (number{% for word in range(words) %}, f{{ word }}{% endfor %})
),
alone AS (
    SELECT MIN(tuple) AS tuple
    FROM (
        SELECT tuple, records, number{% for word in range(words) %}, q{{ word }} & f{{ word }} AS k{{ word }}{% endfor %}

        FROM treated_cells, sets
{% if not begin %}
        WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = treated_cells.tuple)
{% endif %}
    ) AS keyed
    GROUP BY number{% for word in range(words) %}, k{{ word }}{% endfor %}

    HAVING SUM(records) = 1
)
SELECT DISTINCT tuple FROM alone
