-- record_conditions
-- Makes the table of predicates that drawn records of the release meet, each of several conditions.
--
-- definition: for each attempt a record and so many attributes are drawn; a number above the median of the release gives "at
--   least", another one "at most", everything else "equal"
-- source: Anonymeter, multivariate singling out
-- missing: a missing value gives "is missing"
-- portable: no
--
-- parameter name: column, the table
-- parameter different: relation, the records of the release that differ
-- parameter release_values: relation, the values of the release
-- parameter columns: columns, the codes of the records
-- parameter numeric: integers, the places of the attributes of numbers
-- parameter combined: integer, so many attributes are drawn
-- parameter records: integer, how many records differ
-- parameter start: integer, the first attempt
-- parameter stop: integer, the first one that is not made
-- parameter seed: integer, another seed draws anew
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH drawn AS (
    SELECT range AS predicate, CAST(MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':record:', range)) % {{ records }} AS BIGINT) AS record
    FROM RANGE({{ start }}, {{ stop }})
),
turns AS (
    SELECT
        drawn.predicate,
        drawn.record,
        CAST(places.range AS INTEGER) AS place,
        ROW_NUMBER() OVER (PARTITION BY drawn.predicate ORDER BY MD5(CONCAT({{ seed | literal }}, ':columns:', drawn.predicate, ':', places.range)), places.range) AS turn
    FROM drawn
    CROSS JOIN RANGE({{ columns | length }}) AS places
),
chosen AS (
    SELECT
        turns.predicate,
        turns.place,
        CASE turns.place{% for column in columns %} WHEN {{ loop.index0 }} THEN different.{{ column | identifier }}{% endfor %} END AS code
    FROM turns
    JOIN {{ different | relation }} AS different ON different.record = turns.record
    WHERE turns.turn <= {{ combined }}
)
SELECT
    chosen.predicate,
    chosen.place,
{% if numeric %}
    CASE
        WHEN chosen.code = 0 OR chosen.place NOT IN ({% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %}) THEN 'eq'
        WHEN release_values.above THEN 'ge'
        ELSE 'le'
    END AS op,
{% else %}
    'eq' AS op,
{% endif %}
    chosen.code
FROM chosen
JOIN {{ release_values | relation }} AS release_values ON release_values.place = chosen.place AND release_values.code = chosen.code
