-- disclosing_groups
-- The people of each group who have each of the sensitive values that can be disclosed.

{% if people %}
members AS (
    SELECT DISTINCT <KEYS>, person
    FROM placed
    WHERE person IS NOT NULL AND EXISTS (SELECT 1 FROM quasi_owned)
),
sizes AS (
    SELECT <KEYS>, COUNT(*) AS size FROM members GROUP BY <KEYS>
),
held AS (
    SELECT <KEYS>, value, COUNT(*) AS people
    FROM members
    JOIN quasi_owned USING (person)
    GROUP BY <KEYS>, value
),
{% else %}
sizes AS (
    SELECT <KEYS>, SUM(n) AS size FROM placed GROUP BY <KEYS>
),
held AS (
{% for _ in range(count) %}
    SELECT <KEYS>, s{{ loop.index0 }} AS value, SUM(n) AS people
    FROM placed
    WHERE s{{ loop.index0 }} IS NOT NULL
    GROUP BY <KEYS>, s{{ loop.index0 }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
{% endif %}
disclosing AS (
    SELECT <KEYS>, held.people, sizes.size, quasi_rare.people AS rare, quasi_rare.total
    FROM held
    JOIN sizes USING (<KEYS>)
    JOIN quasi_rare ON quasi_rare.value = held.value
)
