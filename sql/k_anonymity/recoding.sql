-- recoding
-- The recoding of each class of tuples: its boxes, its values, its losses, and the recoded records.
--
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- runs: finish
-- reads: quasi_records, quasi_tuples
-- makes: quasi_boxes, quasi_cells, quasi_classes, quasi_members
--
-- parameter columns: columns, the quasi-identifiers
-- parameter sets: integers, for each quasi-identifier the most values of a cell such as {a, b}, 0 for none

-- name: begin_classes
-- Starts without any class.
CREATE OR REPLACE TEMP TABLE quasi_classes (tuple BIGINT, class BIGINT, n BIGINT)

-- name: tuple_classes
-- Makes each distinct tuple a class, or all tuples one class.
--
-- parameter separate: flag, make each tuple a class of its own
INSERT INTO quasi_classes
SELECT tuple, {% if separate %}tuple{% else %}0{% endif %} AS class, n
FROM quasi_tuples

-- name: class_boxes
-- The lowest and the highest value of each quasi-identifier in each class, by code, and for sets all values.
--
-- definition: the mean of numbers is that of their positions, as whole numbers of 10^-15: it does not depend on the
--   order of the records
--
-- takes: columns, sets
-- parameter means: integers, the quasi-identifiers whose mean is needed
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_boxes AS
SELECT
    class,
    CAST(SUM(quasi_classes.n) AS BIGINT) AS n
{% for column in columns %}
    , MIN(a{{ loop.index0 }}) AS lo{{ loop.index0 }}
    , MAX(a{{ loop.index0 }}) AS hi{{ loop.index0 }}
{% if sets[loop.index0] %}
    , LIST_SORT(LIST(DISTINCT a{{ loop.index0 }})) AS codes{{ loop.index0 }}
{% endif %}
{% endfor %}
{% for i in means %}
    , CAST(SUM(quasi_classes.n * CAST(ROUND(v{{ i }}.place * 1e15) AS HUGEINT)) AS DOUBLE)
        / (SUM(quasi_classes.n) * 1e15) AS middle{{ i }}
{% endfor %}
FROM quasi_classes
JOIN quasi_tuples USING (tuple)
{% for i in means %}
JOIN {{ tables[i] | identifier }} AS v{{ i }} ON v{{ i }}.code = a{{ i }}
{% endfor %}
GROUP BY class

-- name: class_cells
-- The recoded value of each quasi-identifier in each class, and its loss.
--
-- definition: loss = the length of the interval of numbers or moments, the leaves under the lowest common label, or
--   the values of a set or with a prefix, as a share of all, as in release_cell_losses; 0 where nothing changes
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- missing: a missing value is a value of its own; numbers and sets with a missing one become *, and no value where
--   cells are numbers
--
-- takes: sets
-- parameter numbers: text, what numbers become: interval, mean or bounds
-- parameter kinds: texts, for each quasi-identifier number, day, moment, or zoned: a moment with a time zone
-- parameter listed: flag, sets become lists
-- parameter prefixes: integers, the quasi-identifiers of codes: larger sets become their common prefix, as in 12*
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter leaves: integers, number of leaves of each quasi-identifier
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_cells AS
WITH boxes AS (
    SELECT
        quasi_boxes.*
{% for max_values in sets %}
{% set i = loop.index0 %}
{% if max_values %}
        , lo{{ i }} > 0 AND LEN(codes{{ i }}) <= {{ max_values }} AND LEN(codes{{ i }}) < {{ leaves[i] }}
            AS is_set{{ i }}
{% endif %}
{% endfor %}
{% for i in prefixes %}
        , LEFT(low{{ i }}.label0, LEN(LIST_FILTER(
            RANGE(1, LENGTH(low{{ i }}.label0) + 1),
            lambda length: LEFT(low{{ i }}.label0, length) = LEFT(high{{ i }}.label0, length)
        ))) AS prefix{{ i }}
{% endfor %}
    FROM quasi_boxes
{% for i in prefixes %}
    JOIN {{ tables[i] | identifier }} AS low{{ i }} ON low{{ i }}.code = lo{{ i }}
    JOIN {{ tables[i] | identifier }} AS high{{ i }} ON high{{ i }}.code = hi{{ i }}
{% endfor %}
),
{% for i in prefixes %}
under{{ i }} AS (
    SELECT prefix{{ i }} AS prefix, COUNT(*) AS values
    FROM (SELECT DISTINCT prefix{{ i }} FROM boxes WHERE LENGTH(prefix{{ i }}) > 0)
    JOIN {{ tables[i] | identifier }} AS every ON LEFT(every.label0, LENGTH(prefix{{ i }})) = prefix{{ i }}
    GROUP BY prefix{{ i }}

),
{% endfor %}
-- One by one: a list of all labels at hand would be carried along with each class.
{% for max_values in sets %}
{% set i = loop.index0 %}
{% if max_values %}
texts{{ i }} AS (
    SELECT
        class,
{% if listed %}
        LIST(label0 ORDER BY code) AS cell
{% else %}
        '{' || STRING_AGG(label0, ', ' ORDER BY code) || '}' AS cell
{% endif %}
    FROM (SELECT class, UNNEST(codes{{ i }}) AS code FROM boxes WHERE is_set{{ i }} AND lo{{ i }} <> hi{{ i }})
    JOIN {{ tables[i] | identifier }} USING (code)
    GROUP BY class

),
{% endif %}
{% endfor %}
labelled AS (
    SELECT
        box.class,
        box.n
{% for height in heights %}
{% set i = loop.index0 %}
        , box.lo{{ i }} <> box.hi{{ i }} AS changed{{ i }}
{% if not height %}
{% if numbers == "interval" %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN l{{ i }}.label0
            WHEN l{{ i }}.place < 0 OR h{{ i }}.place > 1 THEN '*'
            ELSE '[' || l{{ i }}.label0 || ', ' || h{{ i }}.label0 || ']'
        END AS cell{{ i }}
{% elif numbers == "bounds" %}
        , CASE WHEN box.lo{{ i }} = box.hi{{ i }} OR (l{{ i }}.place >= 0 AND h{{ i }}.place <= 1)
            THEN l{{ i }}.value END AS cell{{ i }}
        , CASE WHEN box.lo{{ i }} = box.hi{{ i }} OR (l{{ i }}.place >= 0 AND h{{ i }}.place <= 1)
            THEN h{{ i }}.value END AS upper{{ i }}
{% elif kinds[i] == "number" %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN CAST(l{{ i }}.value AS DOUBLE)
            WHEN l{{ i }}.place >= 0 AND h{{ i }}.place <= 1
                THEN ROUND(
                    e{{ i }}.least + box.middle{{ i }} * (e{{ i }}.most - e{{ i }}.least),
                    CAST(5 - FLOOR(LOG10(e{{ i }}.most - e{{ i }}.least)) AS INTEGER)
                )
        END AS cell{{ i }}
{% else %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN l{{ i }}.value
            WHEN l{{ i }}.place >= 0 AND h{{ i }}.place <= 1
                THEN {% if kinds[i] == "day" %}CAST({% endif %}MAKE_TIMESTAMP(CAST(
                    1000000 * ROUND(e{{ i }}.least + box.middle{{ i }} * (e{{ i }}.most - e{{ i }}.least))
                    AS BIGINT)){% if kinds[i] == "day" %} AS DATE){% endif %}
{% if kinds[i] == "zoned" %} AT TIME ZONE 'UTC'{% endif %}

        END AS cell{{ i }}
{% endif %}
{% elif sets[i] and listed %}
        , CASE
            WHEN box.hi{{ i }} = 0 THEN NULL
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN [l{{ i }}.label0]
            WHEN is_set{{ i }} THEN texts{{ i }}.cell
{% if i in prefixes %}
            WHEN under{{ i }}.values < {{ leaves[i] }} THEN [box.prefix{{ i }} || '*']
{% endif %}
            ELSE ['*']
        END AS cell{{ i }}
{% elif sets[i] %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN l{{ i }}.label0
            WHEN is_set{{ i }} THEN texts{{ i }}.cell
{% if i in prefixes %}
            WHEN under{{ i }}.values < {{ leaves[i] }} THEN box.prefix{{ i }} || '*'
{% endif %}
            ELSE '*'
        END AS cell{{ i }}
{% else %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN l{{ i }}.label0
{% for level in range(1, height) %}
            WHEN box.hi{{ i }} <= l{{ i }}.hi{{ level }} THEN l{{ i }}.label{{ level }}
{% endfor %}
            ELSE '*'
        END AS cell{{ i }}
{% endif %}
{% if not height %}
        , CASE WHEN l{{ i }}.place < 0 OR h{{ i }}.place > 1
            THEN CASE WHEN box.lo{{ i }} = box.hi{{ i }} THEN 0 ELSE 1 END ELSE h{{ i }}.place
            - l{{ i }}.place END AS loss{{ i }}
{% elif sets[i] %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN 0
            WHEN is_set{{ i }} THEN CAST(LEN(codes{{ i }}) AS DOUBLE) / {{ leaves[i] }}
{% if i in prefixes %}
            ELSE CAST(COALESCE(under{{ i }}.values, {{ leaves[i] }}) AS DOUBLE) / {{ leaves[i] }}
{% else %}
            ELSE 1
{% endif %}
        END AS loss{{ i }}
{% else %}
        , CASE
            WHEN box.lo{{ i }} = box.hi{{ i }} THEN 0
{% for level in range(1, height) %}
            WHEN box.hi{{ i }} <= l{{ i }}.hi{{ level }}
                THEN CAST(l{{ i }}.hi{{ level }} - l{{ i }}.lo{{ level }} + 1 AS DOUBLE) / {{ leaves[i] }}
{% endfor %}
            ELSE 1
        END AS loss{{ i }}
{% endif %}
{% endfor %}
    FROM boxes AS box
{% for table in tables %}
{% set i = loop.index0 %}
    JOIN {{ table | identifier }} AS l{{ i }} ON l{{ i }}.code = box.lo{{ i }}
{% if not heights[i] %}
    JOIN {{ table | identifier }} AS h{{ i }} ON h{{ i }}.code = box.hi{{ i }}
{% if numbers == "mean" %}
    CROSS JOIN (
        SELECT
            MIN(amount) FILTER (WHERE place BETWEEN 0 AND 1) AS least,
            MAX(amount) FILTER (WHERE place BETWEEN 0 AND 1) AS most
        FROM {{ table | identifier }}
    ) AS e{{ i }}
{% endif %}
{% elif sets[i] %}
    LEFT JOIN texts{{ i }} ON texts{{ i }}.class = box.class
{% endif %}
{% if i in prefixes %}
    LEFT JOIN under{{ i }} ON under{{ i }}.prefix = box.prefix{{ i }} AND box.lo{{ i }} > 0
{% endif %}
{% endfor %}
)
SELECT * FROM labelled

-- name: class_losses
-- The penalty of all classes, and the quasi-identifiers that changed.
--
-- definition: ncp = the sum over records and quasi-identifiers of the share of all values that a cell covers, 0 where
--   it is one value; gcp = ncp / (records * quasi-identifiers)
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., Fast data
--   anonymization with low information loss, VLDB 2007
--
-- takes: columns
WITH totals AS (
    SELECT
        SUM(n) AS records,
        -- Decimals of a cell each, as in release_cell_losses: the sums are equal to the last digit.
        SUM(n * ({{ columns | each("CAST(loss{i} AS DECIMAL(38, 18))", between=" + ") }})) AS ncp,
        [{{ columns | each("BOOL_OR(changed{i})") }}] AS changed
    FROM quasi_cells
)
SELECT
    CAST(ncp AS DOUBLE) AS ncp,
    CAST(ncp AS DOUBLE) / (records * {{ columns | length }}) AS gcp,
    changed
FROM totals

-- name: quasi_members
-- The class of each record; equal records of several classes are assigned in order.
-- takes: columns
-- parameter more: columns, what else a tuple has: the person, or sensitive values
CREATE OR REPLACE TEMP TABLE quasi_members AS
WITH pieces AS (
    SELECT
        tuple,
        class,
        SUM(n) OVER (PARTITION BY tuple ORDER BY class) - n AS after,
        SUM(n) OVER (PARTITION BY tuple ORDER BY class) AS upto,
        COUNT(*) OVER (PARTITION BY tuple) AS pieces
    FROM quasi_classes
),
found AS (
    SELECT records.record, tuples.tuple
    FROM quasi_records AS records
    JOIN quasi_tuples AS tuples
        ON {{ columns | each("records.a{i} = tuples.a{i}", between=" AND ") }}
{% for name in more %}
        AND records.{{ name | identifier }} IS NOT DISTINCT FROM tuples.{{ name | identifier }}
{% endfor %}
),
-- only tuples in several classes have to be counted through
counted AS (
    SELECT record, tuple, ROW_NUMBER() OVER (PARTITION BY tuple ORDER BY record) AS place
    FROM found
    SEMI JOIN (SELECT tuple FROM pieces WHERE pieces > 1) AS divided USING (tuple)
)
SELECT record, class
FROM found
JOIN pieces USING (tuple)
WHERE pieces = 1
UNION ALL
SELECT record, class
FROM counted
JOIN pieces ON pieces.tuple = counted.tuple AND place > after AND place <= upto
WHERE pieces > 1

-- name: quasi_target
-- All columns of the records, with the recoded values of changed quasi-identifiers.
--
-- definition: a quasi-identifier that changed in any class becomes text, every other column stays as it is
--
-- parameter source: relation, the records with their number `record`
-- parameter names: columns, all columns of the records
-- parameter replacements: integers, for each column the quasi-identifier that replaces it, or -1
-- parameter uppers: integers, the quasi-identifiers with an upper bound in a column of its own
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT record AS number{% for name in names %}, {{ name | identifier }} AS value{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
)
SELECT
{% for name in names %}
    {% if replacements[loop.index0] >= 0 %}cells.cell{{ replacements[loop.index0] }}
    {% else %}records.value{{ loop.index0 }}{% endif %}
        AS {{ name | identifier }}{{ loop | between }}
{% endfor %}
{% for i in uppers %}
    , cells.upper{{ i }} AS {{ ("upper" ~ i) | identifier }}
{% endfor %}
FROM records
JOIN quasi_members AS members ON members.record = records.number
JOIN quasi_cells AS cells ON cells.class = members.class

-- name: smallest_class_of_people
-- The people of the smallest class of the finished table.
--
-- missing: a record without a person belongs to nobody
--
-- takes: columns
-- parameter target: column, the table
-- parameter user: column, the person behind a record
SELECT MIN(people) AS smallest
FROM (
    SELECT COUNT(DISTINCT {{ user | identifier }}) AS people
    FROM {{ target | identifier }}
    GROUP BY {{ columns | identifiers }}

)
