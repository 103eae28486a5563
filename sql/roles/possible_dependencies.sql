-- possible_dependencies
-- Pairs of columns where one may determine the other: no two of some records refute it.
--
-- idea: two records that agree in X and differ in Y refute that X determines Y. Each column is a bit, so one statement
--   examines all pairs of columns, and determined_by has to count only those that remain.
-- source: functional dependency (Codd)
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 124 columns
-- parameter records: integer, number of records, the first ones, that are compared in pairs
{% set bits = 62 %}
{% set words = range((columns | length + bits - 1) // bits) %}
WITH opened AS (
    SELECT {{ columns | each("{x.identifier} AS a{i}") }}

    FROM {{ source | relation }}
    LIMIT {{ records | literal }}
),
positions (position, word, bit) AS (
    VALUES
{% for column in columns %}
        (
            {{ loop.index0 }}, {{ loop.index0 // bits }}, CAST({{ 2 ** (loop.index0 % bits) }} AS BIGINT)
        ){{ loop | between }}

{% endfor %}
),
pairs AS (
    SELECT
{% for word in words %}
{% set members = range(word * bits, [word * bits + bits, columns | length] | min) %}
        {{ members | each("CASE WHEN one.a{x} = other.a{x} THEN CAST({bit} AS BIGINT) ELSE 0 END", between=" | ") }}
            AS agree{{ word }},
        {{ members | each("CASE WHEN one.a{x} IS DISTINCT FROM other.a{x} THEN CAST({bit} AS BIGINT) ELSE 0 END",
            between=" | ") }} AS differ{{ word }}{{ loop | between }}

{% endfor %}
    FROM opened AS one
    CROSS JOIN opened AS other
),
refuted AS (
    SELECT positions.position{{ words | each(", BIT_OR(pairs.differ{x}) AS differ{x}", between="") }}

    FROM pairs
    JOIN positions
        ON (CASE positions.word{{ words | each(" WHEN {x} THEN pairs.agree{x}", between="") }} END & positions.bit) <> 0
    GROUP BY positions.position
)
SELECT determinants.position AS determinant, dependents.position AS dependent
FROM positions AS determinants
CROSS JOIN positions AS dependents
LEFT JOIN refuted ON refuted.position = determinants.position
WHERE determinants.position <> dependents.position
    AND COALESCE(
        CASE dependents.word{{ words | each(" WHEN {x} THEN refuted.differ{x}", between="") }} END & dependents.bit, 0
    ) = 0
ORDER BY determinant, dependent
