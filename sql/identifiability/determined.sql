-- determined
-- Whether one attribute's value tells the values of others.
--
-- definition: it does where no class of the one has two values of the other, a missing value being one of them
-- portable: no
--
-- parameter table: column, the combinations
-- parameter word: integer, the word that holds the one's field
-- parameter field: integer, the bits of its field
-- parameter bit: integer, its bit in an attribute set
-- parameter words: integers, the words that hold the others' fields
-- parameter fields: integers, the bits of these fields
-- parameter bits: integers, their bits in an attribute set
WITH classes AS (
    SELECT
        p{{ word }} & {{ field }} AS k
{% for other in words %}
        , MIN(p{{ other }} & {{ fields[loop.index0] }}) = MAX(p{{ other }} & {{ fields[loop.index0] }}) AS one{{ loop.index0 }}
        , BOOL_OR((missing & {{ bit + bits[loop.index0] }}) NOT IN (0, {{ bit + bits[loop.index0] }})) AS partly{{ loop.index0 }}
{% endfor %}
    FROM {{ table | identifier }}
    GROUP BY p{{ word }} & {{ field }}
)
SELECT
{% for other in words %}
    BOOL_AND(one{{ loop.index0 }}) AS determined{{ loop.index0 }}, BOOL_OR(partly{{ loop.index0 }}) AS partly{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM classes
