-- singling_out
-- Predicates that match one record of the release, and the number that match one record of the original.
--
-- idea: a predicate is the range of codes that it allows of every attribute. Predicates that match at most one record
--   of a part are tried on all records, which are looked up by the attributes of the predicate.
-- source: Anonymeter, singling out; Cohen and Nissim, PNAS 2020
-- runs: finish
--
-- parameter name: column, the table
-- parameter columns: columns, the codes
-- parameter different: relation, the records of the release that differ
-- parameter release_values: relation, the values of the release
-- parameter numeric: integers, the indexes of numeric attributes
-- parameter seed: integer, another seed draws anew
-- parameter boxes: relation, the predicates

-- name: risk_different
-- Creates the table of the distinct records, in the order of their first occurrence.
--
-- source: Anonymeter, which singles out among different records
-- missing: missing values are equal
--
-- takes: name, columns
-- parameter source: relation, the records with codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY MIN(record)) - 1 AS record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
GROUP BY {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

-- name: predicate_values
-- Creates the table of the values of predicates: those of the release, with the records of each.
--
-- definition: above says whether a number is above the median; upto counts the records with a value up to this one
-- source: Anonymeter, singling out
-- missing: the code 0 is a missing value, which is counted in records and in upto
--
-- takes: name, different
-- parameter columns: columns, their codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT {{ loop.index0 }} AS place, {{ column | identifier }} AS code, COUNT(*) AS records
    FROM {{ different | relation }} AS different
    GROUP BY {{ column | identifier }}
{% endfor %}
),
added AS (
    SELECT
        place,
        code,
        records,
        ROW_NUMBER() OVER (PARTITION BY place ORDER BY code) - 1 AS number,
        COUNT(*) OVER (PARTITION BY place) AS codes,
        SUM(records) OVER (PARTITION BY place ORDER BY code ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto,
        SUM(records) OVER (PARTITION BY place) AS total,
        SUM(CASE WHEN code = 0 THEN records ELSE 0 END) OVER (PARTITION BY place) AS missing
    FROM counted
),
-- The lower of the two middle values: numbers above it are above their mean.
middles AS (
    SELECT place, MIN(code) AS middle
    FROM added
    WHERE code > 0 AND 2 * (upto - missing) >= total - missing
    GROUP BY place
)
SELECT
    added.place,
    added.code,
    CAST(added.number AS BIGINT) AS number,
    CAST(added.codes AS BIGINT) AS codes,
    CAST(added.records AS BIGINT) AS records,
    CAST(added.upto AS BIGINT) AS upto,
    CAST(added.total AS BIGINT) AS total,
    CAST(added.missing AS BIGINT) AS missing,
    COALESCE(added.code > middles.middle, FALSE) AS above
FROM added
LEFT JOIN middles ON middles.place = added.place

-- name: single_conditions
-- Creates the table of predicates of one condition that match one record of the release, in random order.
--
-- definition: equal to a value that one record has, at most the least number, or at least the largest, where one
--   record has it
-- source: Anonymeter, univariate singling out
-- missing: a missing value is a value here: one record alone without it is singled out
--
-- takes: name, release_values, numeric, seed
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH known AS (
    SELECT
        place,
        code,
        number,
        records,
        MIN(CASE WHEN code > 0 THEN code END) OVER (PARTITION BY place) AS least,
        MAX(CASE WHEN code > 0 THEN code END) OVER (PARTITION BY place) AS most
    FROM {{ release_values | relation }} AS release_values
),
conditions AS (
    SELECT place, 'eq' AS op, code, number FROM known WHERE records = 1
{% if numeric %}
    UNION ALL
    SELECT place, 'le' AS op, code, number FROM known
    WHERE records = 1 AND code = least
        AND place IN ({% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %})
    UNION ALL
    SELECT place, 'ge' AS op, code, number FROM known
    WHERE records = 1 AND code = most
        AND place IN ({% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %})
{% endif %}
)
SELECT
    ROW_NUMBER() OVER (ORDER BY MD5(CONCAT({{ seed | literal }}, ':single:', place, op, number)), place, op, code)
        - 1 AS predicate,
    place,
    op,
    code
FROM conditions

-- name: record_conditions
-- Creates the table of predicates of several conditions that match drawn records of the release.
--
-- definition: for each attempt a record and some attributes are drawn; a number above the median of the release gives
--   "at least", another one "at most", everything else "equal"
-- source: Anonymeter, multivariate singling out
-- missing: a missing value gives "is missing"
--
-- takes: name, different, release_values, numeric, seed
-- parameter columns: columns, the codes of the records
-- parameter combined: integer, number of attributes to draw
-- parameter records: integer, number of distinct records
-- parameter start: integer, the first attempt
-- parameter stop: integer, the first one that is not made
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH drawn AS (
    SELECT range AS predicate,
        CAST(MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':record:', range)) % {{ records }} AS BIGINT) AS record
    FROM RANGE({{ start }}, {{ stop }})
),
turns AS (
    SELECT
        drawn.predicate,
        drawn.record,
        CAST(places.range AS INTEGER) AS place,
        ROW_NUMBER() OVER (
            PARTITION BY drawn.predicate
            ORDER BY MD5(CONCAT({{ seed | literal }}, ':columns:', drawn.predicate, ':', places.range)), places.range)
            AS turn
    FROM drawn
    CROSS JOIN RANGE({{ columns | length }}) AS places
),
chosen AS (
    SELECT
        turns.predicate,
        turns.place,
        CASE turns.place{% for column in columns %} WHEN {{ loop.index0 }}
            THEN different.{{ column | identifier }}{% endfor %} END AS code
    FROM turns
    JOIN {{ different | relation }} AS different ON different.record = turns.record
    WHERE turns.turn <= {{ combined }}
)
SELECT
    chosen.predicate,
    chosen.place,
{% if numeric %}
    CASE
        WHEN chosen.code = 0
            OR chosen.place NOT IN (
            {% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %}) THEN 'eq'
        WHEN release_values.above THEN 'ge'
        ELSE 'le'
    END AS op,
{% else %}
    'eq' AS op,
{% endif %}
    chosen.code
FROM chosen
JOIN {{ release_values | relation }} AS release_values ON release_values.place = chosen.place
    AND release_values.code = chosen.code

-- name: random_conditions
-- Creates the table of the predicates of the naive attacker, who draws attributes, values and comparisons.
--
-- definition: any value of the release in an attribute, each as probable; equal or not, and for numbers more, less,
--   at least and at most as well
-- source: Anonymeter, the baseline of singling out
-- missing: a missing value gives "is missing", and any other comparison than equality "is not missing"
--
-- takes: name, release_values, numeric, seed
-- parameter columns: integer, number of attributes
-- parameter combined: integer, number of attributes to draw
-- parameter predicates: integer, number of predicates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH turns AS (
    SELECT
        made.range AS predicate,
        CAST(places.range AS INTEGER) AS place,
        ROW_NUMBER() OVER (
            PARTITION BY made.range
            ORDER BY MD5(CONCAT({{ seed | literal }}, ':naive columns:', made.range, ':', places.range)), places.range)
            AS turn
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
        CAST(MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':naive value:', turns.predicate, ':', turns.place)) %
            sizes.codes AS BIGINT) AS number,
{% if numeric %}
        CASE WHEN turns.place IN ({% for place in numeric %}{% if not loop.first %}, {% endif %}{{ place }}{% endfor %})
            THEN 6 ELSE 2 END AS ops
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
        1 + CAST(MD5_NUMBER_LOWER(CONCAT({{ seed | literal }}, ':naive comparison:', drawn.predicate, ':', drawn.place))
            % drawn.ops AS INTEGER)
    ) AS op,
    release_values.code
FROM drawn
JOIN {{ release_values | relation }} AS release_values ON release_values.place = drawn.place
    AND release_values.number = drawn.number

-- name: kept_predicates
-- Creates the table of the first predicates that match one record of the release.
-- takes: name, boxes
-- parameter matches: relation or none, number of records that match each predicate; none if it is known to be one
-- parameter excluded: relation or none, predicates that were kept before
-- parameter max_predicates: integer, largest number of predicates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH alone AS (
    SELECT boxes.*
    FROM {{ boxes | relation }} AS boxes
{% if matches is not none %}
    JOIN {{ matches | relation }} AS matches ON matches.predicate = boxes.predicate
    WHERE matches.matches = 1
{% endif %}
{% if excluded is not none %}
    UNION ALL
    SELECT known.* FROM {{ excluded | relation }} AS known
{% endif %}
)
SELECT alone.*
FROM alone
ORDER BY predicate
LIMIT {{ max_predicates }}

-- name: predicate_boxes
-- Creates the table of predicates as the codes that each allows of every attribute.
--
-- definition: from least to most but one; way is 2 x the attribute whose condition the fewest records of the release
--   meet, and 1 more where that allows one code alone: by it records are looked up. Of equal predicates the first is
--   kept.
-- missing: the code 0 of a missing value is allowed where there is no condition, by "is missing", and by nothing else
--
-- takes: name, release_values
-- parameter conditions: relation, the predicates, one row a condition
-- parameter columns: integer, number of attributes
-- parameter excluded: relation or none, predicates that are left out
-- parameter keep_equal: flag, keep equal predicates
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
WHERE {% if keep_equal %}TRUE{% else %}time = 1{% endif %}{% if excluded is not none %}
    AND NOT EXISTS (SELECT 1 FROM {{ excluded | relation }} AS known WHERE known.text = numbered.text){% endif %}

-- name: record_part
-- Creates the table of every n-th record. A predicate that matches two of them matches two of all records.
-- takes: name
-- parameter source: relation, the records
-- parameter step: integer, one record in this many
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT records.*
FROM {{ source | relation }} AS records
WHERE MOD(record, {{ step }}) = 0

-- name: predicate_ways
-- The attributes by which records are looked up for predicates.
-- takes: boxes
SELECT CAST(way AS INTEGER) AS way
FROM {{ boxes | relation }} AS boxes
GROUP BY way
ORDER BY way

-- name: predicate_matches
-- Creates the table of the number of records that match each predicate; unmatched predicates are left out.
--
-- definition: the records are joined to the predicates by the attribute that fewest records match; the rest of a
--   predicate is checked for these records alone
--
-- takes: name, boxes, columns
-- parameter records: relation, with codes
-- parameter ways: integers, by which attributes records are looked up
-- parameter exceptions: flag, predicates allow all codes but one
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH met AS (
{% for way in ways %}
{% set own = columns[way // 2] %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT boxes.predicate
    FROM {{ records | relation }} AS records
    JOIN {{ boxes | relation }} AS boxes
        ON {% if way % 2 %}records.{{ own | identifier }}
            = boxes.least{{ way // 2 }}{% else %}records.{{ own | identifier }} >= boxes.least{{ way // 2 }}
            AND records.{{ own | identifier }} <= boxes.most{{ way // 2 }}{% endif %}

    WHERE boxes.way = {{ way }}
        -- One condition, so that none of it becomes a way to join by.
        AND CASE WHEN {% for column in columns %}{% if not loop.first %}
            AND {% endif %}records.{{ column | identifier }} BETWEEN boxes.least{{ loop.index0 }}
            AND boxes.most{{ loop.index0 }}{% if exceptions %}
            AND records.{{ column | identifier }} <> boxes.but{{ loop.index0 }}{% endif %}{% endfor %} THEN TRUE
            ELSE FALSE END
{% endfor %}
)
SELECT predicate, COUNT(*) AS matches
FROM met
GROUP BY predicate

-- name: rare_predicates
-- Creates the table of the predicates that match at most one record of a part; only these can single out a record.
-- takes: name, boxes
-- parameter matches: relation, number of records of the part that match each predicate
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT boxes.*
FROM {{ boxes | relation }} AS boxes
WHERE NOT EXISTS (
    SELECT 1 FROM {{ matches | relation }} AS matches WHERE matches.predicate = boxes.predicate AND matches.matches > 1
)

-- name: isolated_records
-- The number of predicates that match exactly one record.
-- parameter matches: relation, number of records that match each predicate
SELECT COUNT(CASE WHEN matches = 1 THEN 1 END) AS successes
FROM {{ matches | relation }} AS matches

-- name: isolated_at_size
-- The expected number of singling-out predicates in a control set of another size.
--
-- definition: in a smaller set the expected count of a random part, exactly, by the hypergeometric distribution; in a
--   larger one the measured count times model(size) / model(records), with model(n) = n w / (1 + n w)^2, the mean of
--   n v exp(-n v) over exponentially distributed weights v of mean w. Of 4,000 values w, the one is used that best
--   fits, by least squares and with a factor, the expected counts of parts of one tenth, two tenths and so on of the
--   control set. Weights spread equally up to a largest one, as in Anonymeter, miss a sixth of the count of held-out
--   records of Adult at twice the size.
-- source: Cohen and Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 2020; Anonymeter, which draws
--   the parts
--
-- parameter matches: relation, number of records of the control set that match each predicate
-- parameter records: integer, number of records of the control set
-- parameter size: integer, number of records of the other control set
WITH frequencies AS (
    SELECT CAST(matches AS DOUBLE) AS matches, COUNT(*) AS predicates
    FROM {{ matches | relation }} AS matches
    GROUP BY matches
),
sizes AS (
    SELECT range AS part, CAST(GREATEST(1, ROUND({{ records }} * range / 10.0)) AS BIGINT) AS size
    FROM RANGE(1, 11)
    UNION ALL
    SELECT 0 AS part, LEAST({{ size }}, {{ records }}) AS size
),
parts AS (
    SELECT
        sizes.part,
        sizes.size,
        COALESCE(CAST(SUM(CAST(CASE
            WHEN frequencies.matches + sizes.size > {{ records }} + 1 THEN 0
            ELSE frequencies.predicates * frequencies.matches * EXP(
                LGAMMA({{ records }} - frequencies.matches + 1) - LGAMMA(sizes.size)
                    - LGAMMA({{ records }} - frequencies.matches - sizes.size + 2)
                - LGAMMA({{ records }} + 1) + LGAMMA(sizes.size + 1) + LGAMMA({{ records }} - sizes.size + 1)
            )
        END AS DECIMAL(38, 18))) AS DOUBLE), 0) AS expected
    FROM sizes
    LEFT JOIN frequencies ON frequencies.matches >= 1
    GROUP BY sizes.part, sizes.size
),
measured AS (
    SELECT COUNT(CASE WHEN matches = 1 THEN 1 END) AS successes
    FROM {{ matches | relation }} AS matches
),
weights AS (
    SELECT EXP(-LN(10000.0 * GREATEST({{ records }}, {{ size }})) * (1 - range / 4000.0)) AS w
    FROM RANGE(4001)
),
-- As shares of the model at all records, so that no number is too small to be added exactly.
models AS (
    SELECT
        weights.w,
        parts.expected,
        CAST(parts.size AS DOUBLE) / {{ records }}
            * POWER((1 + {{ records }} * weights.w) / (1 + parts.size * weights.w), 2) AS model
    FROM weights
    JOIN parts ON parts.part > 0
),
modelled AS (
    SELECT
        models.w,
        CAST(SUM(CAST(models.expected / GREATEST(measured.successes, 1) * models.model AS DECIMAL(38, 18))) AS DOUBLE)
            AS product,
        CAST(SUM(CAST(models.model * models.model AS DECIMAL(38, 18))) AS DOUBLE) AS square
    FROM models
    CROSS JOIN measured
    GROUP BY models.w
),
-- Rounded, so that of weights that fit equally well the least is taken by any engine.
fitted AS (
    SELECT ARG_MAX(w, ROW(ROUND(product * product / square, 9), -w)) AS w
    FROM modelled
    WHERE square > 0
),
factors AS (
    SELECT CAST({{ size }} AS DOUBLE) / {{ records }}
        * POWER((1 + {{ records }} * w) / (1 + {{ size }} * w), 2) AS factor
    FROM fitted
)
SELECT
    measured.successes AS measured,
    CASE
        WHEN {{ size }} = {{ records }} THEN CAST(measured.successes AS DOUBLE)
        WHEN {{ size }} < {{ records }} THEN parts.expected
        ELSE measured.successes * COALESCE(factors.factor, 1)
    END AS successes
FROM measured
CROSS JOIN factors
JOIN parts ON parts.part = 0
