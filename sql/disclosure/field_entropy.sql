-- field_entropy
-- How evenly the combinations are spread over the values of each attribute.
--
-- definition: entropy in nats of the shares of combinations that have each value, a missing one being a value
-- portable: no
--
-- parameter words: integers, the word that holds the field of each attribute
-- parameter masks: integers, the bits of each field in its word
WITH counted AS (
{% for word in words %}
    SELECT {{ loop.index0 }} AS position, CAST(COUNT(*) AS DOUBLE) AS n
    FROM combinations
    GROUP BY p{{ word }} & {{ masks[loop.index0] }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
wholes AS (
    SELECT position, SUM(n) AS whole
    FROM counted
    GROUP BY position
)
SELECT position, CAST(SUM(CAST(-n / whole * LN(n / whole) AS DECIMAL(38, 15))) AS DOUBLE) AS entropy
FROM counted
JOIN wholes USING (position)
GROUP BY position
ORDER BY position
