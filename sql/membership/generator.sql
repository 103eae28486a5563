-- generator
-- Synthetic records with the marginals, means and covariances of given records.
--
-- idea: vectors are drawn component by component and made to have the covariances by a linear form; a category is the
--   component that is largest. The linear form is computed outside of SQL, from matrices of a row for each dummy.
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- runs: finish
--
-- parameter source: relation, the encoded table
-- parameter columns: columns, of the encoded table, one for each component
-- parameter name: column, the table
-- parameter units: texts, the divisors
-- parameter records: integer, number of records to draw
-- parameter category_lists: relation, the categories of each attribute as a list
-- parameter limits: relation, the smallest and the largest number of each attribute as a list

-- name: dummy_counts
-- The number of records of each dummy, and the minimum and the maximum of each numeric attribute.
--
-- parameter source: relation, an encoded table
-- parameter dummies: relation, the list of dummies
-- parameter columns: columns, of the encoded table, in the order of the attributes
-- parameter numeric: columns, those of numbers
WITH counted AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
{% if column in numeric %}
    SELECT {{ loop.index0 }} AS attribute, CAST(NULL AS VARCHAR) AS value, COUNT(*) AS records,
        MIN({{ column | identifier }}) AS least, MAX({{ column | identifier }}) AS most
    FROM {{ source | relation }} AS records
{% else %}
    SELECT {{ loop.index0 }} AS attribute, {{ column | identifier }} AS value, COUNT(*) AS records,
        CAST(NULL AS DOUBLE) AS least, CAST(NULL AS DOUBLE) AS most
    FROM {{ source | relation }} AS records
    GROUP BY {{ column | identifier }}
{% endif %}
{% endfor %}
)
SELECT
    dummies.dummy
    , dummies.attribute
    , dummies.value
    , COALESCE(counted.records, 0) AS records
    , counted.least
    , counted.most
FROM {{ dummies | relation }} AS dummies
LEFT JOIN counted
    ON counted.attribute = dummies.attribute AND (counted.value IS NOT DISTINCT FROM dummies.value)
ORDER BY dummies.dummy

-- name: one_hot_records
-- Creates one-hot vectors of encoded records: a flag for each category dummy, numbers as integers.
--
-- definition: a number x is round((x - least) / unit) with the smallest number; sums of whole numbers are exact in
--   any order
-- missing: there are no missing values
--
-- takes: name, source, columns, units, category_lists, limits
-- parameter category_ids: integers, index of each component's category in the list of its attribute, none for numbers
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for column in columns %}
{% if category_ids[loop.index0] is none %}
    , CAST(ROUND(
        (records.{{ column | identifier }} - limits.{{ column | identifier }}[1])
        / CAST({{ units[loop.index0] | literal }} AS DOUBLE)) AS BIGINT) AS y{{ loop.index0 }}
{% else %}
    , records.{{ column | identifier }}
        = known.{{ column | identifier }}[{{ category_ids[loop.index0] }}] AS y{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
CROSS JOIN {{ category_lists | relation }} AS known
CROSS JOIN {{ limits | relation }} AS limits

-- name: one_hot_moments
-- Means and covariances of the components of one-hot vectors, exact up to the last rounding.
--
-- definition: covariance = (n sum(a b) - sum(a) sum(b)) / (n (n - 1)); sums of whole numbers; records that have two
--   dummies are counted by the common bits of two bit strings
-- missing: there are no missing values; the covariances of a single record are 0
--
-- parameter source: relation, the one-hot vectors, their records numbered from 0
-- parameter records: integer, number of records
-- parameter truths: integers, components that are truth values
-- parameter numbers: integers, components that are whole numbers
WITH aggregated AS (
    SELECT
        COUNT(*) AS n
{% for truth in truths %}
        , BITSTRING_AGG(CASE WHEN y{{ truth }} THEN record END, 0, {{ records }} - 1) AS bits{{ truth }}
{% endfor %}
{% for number in numbers %}
        , SUM(y{{ number }}) AS sum{{ number }}
{% for other in numbers %}
{% if other >= number %}
        , SUM(CAST(y{{ number }} AS HUGEINT) * y{{ other }}) AS product{{ number }}_{{ other }}
{% endif %}
{% endfor %}
{% endfor %}
    FROM {{ source | relation }} AS vectors
),
{% if truths and numbers %}
-- A sum for each truth value and number takes an engine longer to plan than to sum.
parts AS MATERIALIZED (
    SELECT place{% for number in numbers %}, SUM(y{{ number }}) AS part{{ number }}{% endfor %}

    FROM (
        SELECT
            UNNEST({{ truths | literal }}) AS place
            , UNNEST([{{ truths | each("y{x}") }}]) AS holds
{% for number in numbers %}
            , y{{ number }}
{% endfor %}
        FROM {{ source | relation }} AS vectors
    ) AS told
    WHERE holds
    GROUP BY place
),
{% endif %}
bits AS (
    SELECT
        UNNEST({{ truths | literal }}) AS place
        , UNNEST([{{ truths | each("bits{x}") }}]) AS bits
    FROM aggregated
),
sums AS (
    SELECT place, CAST(COALESCE(BIT_COUNT(bits), 0) AS HUGEINT) AS total
    FROM bits
{% for number in numbers %}
    UNION ALL
    SELECT {{ number }}, sum{{ number }}
    FROM aggregated
{% endfor %}
),
products AS (
    SELECT a.place AS first, b.place AS second, CAST(COALESCE(BIT_COUNT(a.bits & b.bits), 0) AS HUGEINT) AS product
    FROM bits AS a
    JOIN bits AS b ON a.place <= b.place
{% for number in numbers %}
    UNION ALL
    SELECT
        UNNEST([{% for other in numbers if other >= number %}{{ number }}{{ loop | between(", ") }}{% endfor %}]),
        UNNEST([{% for other in numbers if other >= number %}{{ other }}{{ loop | between(", ") }}{% endfor %}]),
        UNNEST([{% for other in numbers if other >= number %}
            product{{ number }}_{{ other }}{{ loop | between(", ") }}{% endfor %}])
    FROM aggregated
{% if truths %}
    UNION ALL
    SELECT bits.place, {{ number }}, COALESCE(parts.part{{ number }}, 0)
    FROM bits
    LEFT JOIN parts ON parts.place = bits.place
{% endif %}
{% endfor %}
)
SELECT
    products.first
    , products.second
    , COALESCE(
        CAST(aggregated.n * products.product - a.total * b.total AS DOUBLE)
        / NULLIF(CAST(aggregated.n AS DOUBLE) * (aggregated.n - 1), 0), 0
    ) AS covariance
    , CAST(a.total AS DOUBLE) / aggregated.n AS mean
FROM products
JOIN sums AS a ON a.place = products.first
JOIN sums AS b ON b.place = products.second
CROSS JOIN aggregated
ORDER BY products.first, products.second

-- name: draw_limits
-- The threshold for the random number of each dummy: a record below it gets the dummy.
--
-- definition: permuted: the number of records with the dummy follows its share, at least one and never all, which is
--   a permutation of its column; else each record gets the dummy independently with this probability, and at least
--   one record does and one does not
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: none
--
-- takes: records
-- parameter members: integer, number of records behind the counts
-- parameter counts: integers, number of these records with each dummy
-- parameter draws: expressions, the drawn number of a record for each dummy
-- parameter permuted: flag, draw a permutation
SELECT
    UNNEST([
{% for count in counts %}
{% if permuted %}
        CAST(QUANTILE_DISC(
            {{ draws[loop.index0] | expression }},
            (LEAST(GREATEST(ROUND({{ records }} * {{ count }} / {{ members }}), 1), {{ records }} - 1) - 0.5)
            / {{ records }}) AS VARCHAR){{ loop | between }}
{% else %}
        CAST(LEAST(GREATEST(CAST({{ count }} / {{ members }} * 18446744073709549568 AS UBIGINT),
            MIN({{ draws[loop.index0] | expression }})), MAX({{ draws[loop.index0] | expression }}) - 1)
            AS VARCHAR){{ loop | between }}
{% endif %}
{% endfor %}
    ]) AS most
FROM (SELECT range AS record FROM RANGE({{ records }})) AS made

-- name: drawn_records
-- Creates one-hot vectors with independently drawn components, as frequent as in the records.
--
-- definition: a dummy is set if its random number is small enough; a number is that of a record, in permuted or
--   random order, plus normal noise of the bandwidth: (x - least + bandwidth g) / unit, rounded, with the smallest
--   number
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: there are no missing values
--
-- takes: name, source, records, columns, units, limits
-- parameter members: integer, number of records of the encoded table
-- parameter dummies: expressions, whether a record gets the dummy of a component, none for numbers
-- parameter sort_keys: expressions, the sort keys of the records for numbers
-- parameter picks: expressions, the number of the record that is taken; none takes one after another
-- parameter noise: expressions, the standard normal noise of numbers
-- parameter bandwidth: number, standard deviation of the noise
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    made.record
{% for dummy in dummies %}
{% if dummy is none %}
    , CAST(ROUND(
        (place{{ loop.index0 }}.number
        - limits.{{ columns[loop.index0] | identifier }}[1]{% if bandwidth > 0 %} + {{ bandwidth | literal }}
        * {{ noise[loop.index0] | expression }}{% endif %}) / CAST({{ units[loop.index0] | literal }} AS DOUBLE))
        AS BIGINT) AS y{{ loop.index0 }}
{% else %}
    , {{ dummy | expression }} AS y{{ loop.index0 }}
{% endif %}
{% endfor %}
FROM (SELECT range AS record FROM RANGE({{ records }})) AS made
CROSS JOIN {{ limits | relation }} AS limits
{% for dummy in dummies %}
{% if dummy is none %}
JOIN (
    SELECT ROW_NUMBER() OVER (ORDER BY {{ sort_keys[loop.index0] | expression }}, record) - 1 AS place,
        {{ columns[loop.index0] | identifier }} AS number
    FROM {{ source | relation }} AS records
) AS place{{ loop.index0 }}
    ON place{{ loop.index0 }}.place
        = {% if picks[loop.index0] is none %}made.record{% else %}CAST(
        {{ picks[loop.index0] | expression }} % {{ members }} AS BIGINT){% endif %}

{% endif %}
{% endfor %}

-- name: first_vectors
-- The components of the first vectors, one column each.
--
-- parameter source: relation, the vectors
-- parameter components: integers, which
-- parameter max_vectors: integer, largest number of vectors
SELECT {{ components | each("z{x}") }}

FROM {{ source | relation }} AS vectors
WHERE record < {{ max_vectors }}
ORDER BY record

-- name: coloured_records
-- Drawn vectors transformed linearly to the means and covariances of the records.
--
-- definition: z = matrix y + shift, and the smallest number of the attribute for a number; the matrix whitens with
--   the moments of the drawn vectors and colours with those of the records
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: there are no missing values
--
-- takes: limits
-- parameter name: column, the view
-- parameter source: relation, the drawn vectors
-- parameter matrix: texts, its rows, each the text of a list of numbers, which is read without a rounding before
-- parameter shift: texts, a number for each component, as text
-- parameter numbers: texts, the column of each component of numbers, none for the others
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for row in matrix %}
    , ARRAY_INNER_PRODUCT(y, CAST({{ row | literal }} AS DOUBLE[{{ shift | length }}]))
        + CAST({{ shift[loop.index0] | literal }} AS DOUBLE){% if numbers[loop.index0] is not none %}
        + limits.{{ numbers[loop.index0] | identifier }}[1]{% endif %} AS z{{ loop.index0 }}
{% endfor %}
FROM (
    SELECT
        record
        , ARRAY_VALUE({{ matrix | each("CAST(y{i} AS DOUBLE)") }}) AS y
    FROM {{ source | relation }} AS drawn
) AS vectors
CROSS JOIN {{ limits | relation }} AS limits

-- name: discrete_records
-- Creates records from vectors: the category of the largest component, and numbers within the observed range.
--
-- definition: the first of equal components; numbers are clipped to the smallest and largest, then rounded half to
--   even where the attribute has whole numbers; matched, the number of rank r of n is that of rank (r + 1/2) m / n of
--   the m in the source
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: there are no missing values
--
-- takes: name, category_lists, limits
-- parameter source: relation, the vectors
-- parameter columns: columns, of the encoded table that is made
-- parameter components: texts, the components of each column, a list
-- parameter category_ids: texts, the indexes of these categories in the list of their attribute, none for numbers; for
--   a column without components the index of its only category
-- parameter integers: columns, those of whole numbers
-- parameter matched: relation or none, the encoded table whose numbers are taken by their ranks
-- parameter members: integer, number of records of the source
-- parameter records: integer, number of records to create
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    vectors.record
{% for column in columns %}
{% set place = loop.index0 %}
{% if components[place] | length == 0 %}
    , {% if category_ids[place] is none %}limits.{{ column | identifier }}[1]
        {% else %}known.{{ column | identifier }}[{{ category_ids[place][0] }}]{% endif %} AS {{ column | identifier }}
{% elif category_ids[place] is none and matched is not none %}
    , known{{ place }}.number AS {{ column | identifier }}
{% elif category_ids[place] is none %}
    , {% if column in integers %}ROUND_EVEN({% endif %}LEAST(
        GREATEST(z{{ components[place][0] }}, limits.{{ column | identifier }}[1]),
        limits.{{ column | identifier }}[2]){% if column in integers %}, 0){% endif %} AS {{ column | identifier }}
{% else %}
    , known.{{ column | identifier }}[{{ category_ids[place] | literal }}[LIST_POSITION(
        [{{ components[place] | each("z{x}") }}], GREATEST({{ components[place] | each("z{x}") }}))]]
        AS {{ column | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS vectors
CROSS JOIN {{ category_lists | relation }} AS known
CROSS JOIN {{ limits | relation }} AS limits
{% for column in columns %}
{% set place = loop.index0 %}
{% if matched is not none and category_ids[place] is none and components[place] %}
JOIN (
    SELECT record, ROW_NUMBER() OVER (ORDER BY z{{ components[place][0] }}, record) - 1 AS place
    FROM {{ source | relation }} AS vectors
) AS ranked{{ place }}
    ON ranked{{ place }}.record = vectors.record
JOIN (
    SELECT {{ column | identifier }} AS number, ROW_NUMBER() OVER (ORDER BY {{ column | identifier }}) - 1 AS place
    FROM {{ matched | relation }} AS members
) AS known{{ place }}
    ON known{{ place }}.place
        = CAST((2 * ranked{{ place }}.place + 1) * CAST({{ members }} AS HUGEINT) // {{ 2 * records }} AS BIGINT)
{% endif %}
{% endfor %}
ORDER BY vectors.record
