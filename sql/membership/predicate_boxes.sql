-- predicate_boxes
-- Makes the table of predicates, each as the codes that it allows of every attribute.
--
-- definition: from least to most but one; way is 2 x the attribute whose condition the fewest records of the release meet, and 1
--   more where that allows one code alone: by it records are looked up. Of equal predicates the first is kept.
-- missing: the code 0 of a missing value is allowed where there is no condition, by "is missing", and by nothing else
-- portable: no
--
-- parameter name: column, the table
-- parameter conditions: relation, the predicates, one row a condition
-- parameter release_values: relation, the values of the release
-- parameter columns: integer, how many attributes there are
-- parameter known: relation or none, predicates that are left out
-- parameter repeated: integer, 1 keeps equal predicates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH bounded AS (
    SELECT
        conditions.predicate,
        conditions.place,
        CONCAT(conditions.place, conditions.op, conditions.code) AS text,
        CASE
            WHEN conditions.op IN ('eq', 'ge') AND (conditions.op = 'eq' OR conditions.code > 0) THEN conditions.code
            WHEN conditions.op = 'gt' THEN conditions.code + 1
            ELSE 1
        END AS least,
        CASE
            WHEN conditions.op = 'eq' OR (conditions.op = 'le' AND conditions.code > 0) THEN conditions.code
            WHEN conditions.op = 'lt' AND conditions.code > 0 THEN conditions.code - 1
            ELSE 2147483647
        END AS most,
        CASE WHEN conditions.op = 'ne' THEN conditions.code ELSE -1 END AS but,
        CASE
            WHEN conditions.op = 'eq' THEN release_values.records
            WHEN conditions.op = 'ne' OR conditions.code = 0 THEN release_values.total - release_values.missing
            WHEN conditions.op IN ('ge', 'gt') THEN release_values.total - release_values.upto + release_values.records
            ELSE release_values.upto - release_values.missing
        END AS matches
    FROM {{ conditions | relation }} AS conditions
    JOIN {{ release_values | relation }} AS release_values
        ON release_values.place = conditions.place AND release_values.code = conditions.code
),
boxes AS (
    SELECT
        predicate
        , STRING_AGG(text, ' ' ORDER BY place) AS text
        , ARG_MIN(2 * place + CASE WHEN least = most THEN 1 ELSE 0 END, ROW(matches, place)) AS way
{% for place in range(columns) %}
        , COALESCE(MAX(CASE WHEN place = {{ place }} THEN least END), 0) AS least{{ place }}
        , COALESCE(MAX(CASE WHEN place = {{ place }} THEN most END), 2147483647) AS most{{ place }}
        , COALESCE(MAX(CASE WHEN place = {{ place }} THEN but END), -1) AS but{{ place }}
{% endfor %}
    FROM bounded
    GROUP BY predicate
),
numbered AS (
    SELECT boxes.*, ROW_NUMBER() OVER (PARTITION BY text ORDER BY predicate) AS time
    FROM boxes
)
SELECT
    predicate
    , text
    , way
{% for place in range(columns) %}
    , least{{ place }}
    , most{{ place }}
    , but{{ place }}
{% endfor %}
FROM numbered
WHERE {% if repeated %}TRUE{% else %}time = 1{% endif %}{% if known is not none %} AND NOT EXISTS (SELECT 1 FROM {{ known | relation }} AS known WHERE known.text = numbered.text){% endif %}

