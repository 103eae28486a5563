-- possible_dependencies
-- Which columns may determine which others: what no two of a few records refute, each with all others.
--
-- idea: two records that agree in X and differ in Y refute that X determines Y. A column is a bit, so that one statement
--   looks at all pairs of columns; where it finds nothing, determined_by has nothing to count.
-- source: functional dependency (Codd)
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 124 columns
-- parameter most: integer, how many records
{% set bits = 62 %}
{% set words = range((columns | length + bits - 1) // bits) %}
WITH opened AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
    LIMIT {{ most | literal }}
),
positions (position, word, bit) AS (
    VALUES {% for column in columns %}({{ loop.index0 }}, {{ loop.index0 // bits }}, CAST({{ 2 ** (loop.index0 % bits) }} AS BIGINT)){% if not loop.last %}, {% endif %}{% endfor %}

),
pairs AS (
    SELECT
{% for word in words %}
{% set places = range(word * bits, [word * bits + bits, columns | length] | min) %}
        {% for place in places %}CASE WHEN one.a{{ place }} = other.a{{ place }} THEN CAST({{ 2 ** (place % bits) }} AS BIGINT) ELSE 0 END{% if not loop.last %} | {% endif %}{% endfor %} AS agree{{ word }},
        {% for place in places %}CASE WHEN one.a{{ place }} IS DISTINCT FROM other.a{{ place }} THEN CAST({{ 2 ** (place % bits) }} AS BIGINT) ELSE 0 END{% if not loop.last %} | {% endif %}{% endfor %} AS differ{{ word }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM opened AS one
    CROSS JOIN opened AS other
),
refuted AS (
    SELECT positions.position{% for word in words %}, BIT_OR(pairs.differ{{ word }}) AS differ{{ word }}{% endfor %}

    FROM pairs
    JOIN positions ON (CASE positions.word{% for word in words %} WHEN {{ word }} THEN pairs.agree{{ word }}{% endfor %} END & positions.bit) <> 0
    GROUP BY positions.position
)
SELECT determinants.position AS determinant, dependents.position AS dependent
FROM positions AS determinants
CROSS JOIN positions AS dependents
LEFT JOIN refuted ON refuted.position = determinants.position
WHERE determinants.position <> dependents.position
    AND COALESCE(CASE dependents.word{% for word in words %} WHEN {{ word }} THEN refuted.differ{{ word }}{% endfor %} END & dependents.bit, 0) = 0
ORDER BY determinant, dependent
