-- random_conditions
-- Makes the table of the predicates of the naive attacker, who draws attributes, values and comparisons.
--
-- definition: any value of the release in an attribute, each as probable; equal or not, and for numbers more, less, at least
--   and at most as well
-- source: Anonymeter, the baseline of singling out
-- missing: a missing value gives "is missing", and any other comparison than equality "is not missing"
-- portable: no
--
-- parameter name: column, the table
-- parameter release_values: relation, the values of the release
-- parameter numeric: integers, the places of the attributes of numbers
-- parameter columns: integer, how many attributes there are
-- parameter combined: integer, so many of them are drawn
-- parameter predicates: integer, how many are made
-- parameter seed: integer, another seed draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH turns AS (
    SELECT
        made.range AS predicate,
        CAST(places.range AS INTEGER) AS place,
        ROW_NUMBER() OVER (PARTITION BY made.range ORDER BY MD5(CONCAT({{ seed | literal }}, ':naive columns:', made.range, ':', places.range)), places.range) AS turn
    FROM RANGE({{ predicates }}) AS made
    CROSS JOIN RANGE({{ columns }}) AS places
),
sizes AS (
    SELECT place, MIN(codes) AS codes
    FROM {{ release_values | relation }} AS release_values
    GROUP BY place
),
drawn AS (
    SELECT
        turns.predicate,
        turns.place,
        CAST(MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':naive value:', turns.predicate, ':', turns.place)) % sizes.codes AS BIGINT) AS number,
{% if numeric %}
        CASE WHEN turns.place IN ({% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %}) THEN 6 ELSE 2 END AS ops
{% else %}
        2 AS ops
{% endif %}
    FROM turns
    JOIN sizes ON sizes.place = turns.place
    WHERE turns.turn <= {{ combined }}
)
SELECT
    drawn.predicate,
    drawn.place,
    LIST_EXTRACT(
        ['eq', 'ne', 'ge', 'le', 'gt', 'lt'],
        1 + CAST(MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':naive comparison:', drawn.predicate, ':', drawn.place)) % drawn.ops AS INTEGER)
    ) AS op,
    release_values.code
FROM drawn
JOIN {{ release_values | relation }} AS release_values ON release_values.place = drawn.place AND release_values.number = drawn.number
