-- treated_deletions
-- The combinations of values whose records are deleted: nobody else's cells agree with theirs on some of the sets.
--
-- portable: no
--
-- parameter words: integer, words of the cells
-- parameter sets: integers, for each set the bits of its fields in each word
CREATE OR REPLACE TEMP TABLE treated_deletions AS
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
    ) AS keyed
    GROUP BY number{% for word in range(words) %}, k{{ word }}{% endfor %}

    HAVING SUM(records) = 1
)
SELECT DISTINCT tuple FROM alone
