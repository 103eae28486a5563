-- suda_attributes
-- The share of all scores that each attribute takes part in, and each of its values.
--
-- definition: a minimal unique counts for each of its attributes, so that the shares add up to more than 1
-- portable: no
--
-- parameter columns: columns, the word that holds the field of each attribute
-- parameter fields: integers, the bits of each field in its word
-- parameter several: integer, 1 where a person can have several combinations, else 0
WITH whole AS (
    SELECT SUM(score) AS score FROM suda_scores
),
summed AS (
{% for column in columns %}
    SELECT
        {{ loop.index0 }} AS position,
        {{ column | identifier }} & {{ fields[loop.index0] }} AS field,
        SUM(s{{ loop.index0 }}) AS score,
        CAST(SUM(n{{ loop.index0 }}) AS BIGINT) AS minimal_uniques,
        COUNT({% if several %}DISTINCT {% endif %}id) AS persons
    FROM suda_scores
    WHERE n{{ loop.index0 }} > 0
    GROUP BY field
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
people AS (
{% for column in columns %}
    SELECT {{ loop.index0 }} AS position, COUNT({% if several %}DISTINCT {% endif %}id) AS persons
    FROM suda_scores
    WHERE n{{ loop.index0 }} > 0
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT
    people.position,
    CAST(COALESCE(SUM(summed.score), 0) AS DOUBLE) / NULLIF(ANY_VALUE(whole.score), 0) AS contribution,
    CAST(COALESCE(SUM(summed.minimal_uniques), 0) AS BIGINT) AS minimal_uniques,
    ANY_VALUE(people.persons) AS persons,
    COUNT(summed.field) AS values_in_uniques,
    CAST(MAX(summed.score) AS DOUBLE) / NULLIF(ANY_VALUE(whole.score), 0) AS highest_value_contribution
FROM people
CROSS JOIN whole
LEFT JOIN summed ON summed.position = people.position
GROUP BY people.position
ORDER BY people.position
