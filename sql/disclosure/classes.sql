-- classes
-- The classes of a quasi-identifier: the records that agree with each record, under each rule for missing values.
--
-- idea: records are collapsed to their different combinations, the classes. By the rule "value" their sizes are all;
--   by "none" and "wildcard" a class agrees with others, which are found pattern by pattern: by the attributes that
--   neither lacks. Where there are too many classes to keep, parts of them are counted one after another.
-- source: Sweeney, k-anonymity, 2002; the rules for missing cells are our own
-- runs: finish
-- reads: class_histories, class_owners
-- makes: class_agreeing, class_codes, class_frequencies, class_matches, class_patterns, known_classes
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter attributes: integer, number of quasi-identifiers
-- parameter part: integer, the number of this one, from 0
-- parameter first: integer, index of the first pattern
-- parameter last: integer, index of the last pattern

-- name: class_estimate
-- The approximate number of distinct combinations of values, by a sketch of a few kilobytes.
--
-- runs: wide
--
-- takes: source, columns
SELECT APPROX_COUNT_DISTINCT(HASH({{ columns | identifiers }})) AS classes
FROM {{ source | relation }}

-- name: class_frequencies
-- Creates the empty table of the number of classes of each size.
--
-- definition: class_size agree with a class, itself among them; "records" are the units (records or users) in classes
--   of that size, which is classes times class_size where classes do not overlap
CREATE OR REPLACE TEMP TABLE class_frequencies (
    missing VARCHAR, unit VARCHAR, class_size BIGINT, classes BIGINT, records BIGINT, incomplete BIGINT
)

-- name: class_pass
-- Counts the classes of one part of the records; a part consists of whole classes.
--
-- missing: a missing value is a value of its own; "incomplete" counts the records with one
-- runs: wide
--
-- takes: source, part
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing values
-- parameter passes: integer, number of parts
-- parameter counted: column or none, number of people that a record represents; none takes one
INSERT INTO class_frequencies
WITH records AS (
    SELECT {{ attributes | each("{x.value} AS v{i}") }}{% if counted %}, {{ counted | identifier }} AS people{% endif %}

    FROM {{ source | relation }}
),
classes AS (
    SELECT
        {% if counted %}SUM(people){% else %}COUNT(*){% endif %} AS class_size,
        {{ attributes | each("v{i} IS NULL", between=" OR ") }} AS incomplete
    FROM records
{% if passes > 1 %}
    WHERE HASH({{ attributes | each("v{i}") }}) % {{ passes }} = {{ part }}
{% endif %}
    GROUP BY {{ attributes | each("v{i}") }}

)
SELECT
    'value' AS missing,
    'record' AS unit,
    class_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records,
    CAST(SUM(CASE WHEN incomplete THEN class_size ELSE 0 END) AS BIGINT) AS incomplete
FROM classes
GROUP BY class_size

-- name: class_incomplete
-- The number of records with missing values, by the classes that were counted but not stored.
SELECT CAST(COALESCE(SUM(incomplete), 0) AS BIGINT) AS records
FROM class_frequencies

-- name: known_classes
-- Creates the table of the classes of the records and of the population, by rowid.
--
-- definition: first the distinct raw values, which are few, then the missing ones among them
-- missing: a missing value is a value of its own; a record whose weight is not above 0 (or 1e25 or more) has weight 1
-- runs: wide
--
-- takes: source, columns, part
-- parameter attributes: attributes, the same, their tokens being missing values
-- parameter weight: column or none, number of people that a record represents
-- parameter population: relation or none, the people
-- parameter theirs: columns, the same quasi-identifiers there
-- parameter count: column or none, the people of a row of the population
-- parameter passes: integer, number of parts of whole classes
-- parameter counted: column or none, number of people that a record represents; none takes one
{% if part == 0 %}
CREATE OR REPLACE TEMP TABLE known_classes AS
{% else %}
INSERT INTO known_classes
{% endif %}
WITH different AS (
    SELECT
{% for column in columns %}
        {{ column | identifier }},
{% endfor %}
        {% if counted %}SUM({{ counted | identifier }}){% else %}COUNT(*){% endif %} AS records,
{% if weight %}
        SUM(CAST(CASE WHEN {{ weight | identifier }} > 0 AND {{ weight | identifier }} < 1e25
            THEN {{ weight | identifier }} ELSE 1 END AS DECIMAL(38, 12))) AS weight,
        SUM(CASE WHEN {{ weight | identifier }} > 0 AND {{ weight | identifier }} < 1e25 THEN 0 ELSE 1 END)
            AS unweighted,
{% else %}
        CAST({% if counted %}SUM({{ counted | identifier }}){% else %}COUNT(*){% endif %} AS DECIMAL(38, 12)) AS weight,
        0 AS unweighted,
{% endif %}
        CAST(0 AS DECIMAL(38, 12)) AS people
    FROM {{ source | relation }}
{% if passes > 1 and not population %}
    WHERE HASH({{ attributes | each("{x.value}") }}) % {{ passes }} = {{ part }}
{% endif %}
    GROUP BY {{ columns | identifiers }}

{% if population %}
    UNION ALL
    SELECT
{% for column in theirs %}
        {{ column | identifier }},
{% endfor %}
        0 AS records,
        CAST(0 AS DECIMAL(38, 12)) AS weight,
        0 AS unweighted,
        {% if count %}COALESCE(SUM(CAST({{ count | identifier }} AS DECIMAL(38, 12))),
            0){% else %}CAST(COUNT(*) AS DECIMAL(38, 12)){% endif %} AS people
    FROM {{ population | relation }}
    GROUP BY {{ theirs | identifiers }}

{% endif %}
),
known AS (
    SELECT
{% for attribute in attributes %}
        {{ attribute | value }} AS v{{ loop.index0 }},
{% endfor %}
        records,
        weight,
        unweighted,
        people
    FROM different
{% if passes > 1 and population %}
    WHERE HASH({{ attributes | each("{x.value}") }}) % {{ passes }} = {{ part }}
{% endif %}
)
SELECT
{% for attribute in attributes %}
    v{{ loop.index0 }},
{% endfor %}
    {{ attributes | each("(CASE WHEN v{i} IS NULL THEN 1 ELSE 0 END)", between=" + ") }} AS missing_cells,
    CAST(SUM(records) AS BIGINT) AS records,
    CAST(SUM(weight) AS DECIMAL(38, 12)) AS weight,
    CAST(SUM(unweighted) AS BIGINT) AS unweighted,
    CAST(SUM(people) AS DECIMAL(38, 12)) AS people
FROM known
GROUP BY {{ attributes | each("v{i}") }}

-- name: class_missing
-- The number of records and of values missing in the quasi-identifiers, and of patterns of missing values.
--
-- takes: attributes
SELECT
    COUNT(*) AS classes,
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(CASE WHEN missing_cells > 0 THEN records END), 0) AS BIGINT) AS incomplete,
    CAST(COALESCE(SUM(missing_cells * records), 0) AS BIGINT) AS cells,
    CAST(COALESCE(SUM(unweighted), 0) AS BIGINT) AS unweighted,
    CAST(COALESCE(SUM(people), 0) AS DOUBLE) AS people,
    CAST(COALESCE(SUM(CASE WHEN missing_cells > 0 THEN 1 END), 0) AS BIGINT) AS incomplete_classes,
    (SELECT COUNT(*) FROM (
        SELECT DISTINCT {{ range(attributes) | each("v{x} IS NULL") }}

        FROM known_classes
    ) AS ways) AS patterns
FROM known_classes

-- name: class_matches
-- The records, weight and people that agree with each class, a missing value being a value of its own.
CREATE OR REPLACE TEMP TABLE class_matches AS
SELECT
    'value' AS missing,
    CAST(rowid AS BIGINT) AS class,
    records,
    records AS class_size,
    weight,
    people
FROM known_classes

-- name: class_codes
-- The classes as codes of their values, 0 for a missing one, with the pattern of missing values as bits.
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE class_codes AS
SELECT
    CAST(known_classes.rowid AS BIGINT) AS class,
    known_classes.missing_cells,
    {{ tables | each("(CASE WHEN known_classes.v{i} IS NULL THEN CAST({bit} AS BIGINT) ELSE 0 END)", between=" + ") }}
        AS pattern,
{% for table in tables %}
    CAST(COALESCE(n{{ loop.index0 }}.code, 0) AS INTEGER) AS k{{ loop.index0 }},
{% endfor %}
    known_classes.records,
    known_classes.weight,
    known_classes.people
FROM known_classes
{% for table in tables %}
LEFT JOIN {{ table | identifier }} AS n{{ loop.index0 }} ON n{{ loop.index0 }}.value = known_classes.v{{ loop.index0 }}
{% endfor %}

-- name: class_patterns
-- The patterns of missing values as bits, with a mask for each attribute: -1 if present, 0 if missing.
-- takes: attributes
CREATE OR REPLACE TEMP TABLE class_patterns AS
WITH ways AS (
    SELECT DISTINCT pattern, missing_cells
    FROM class_codes
)
SELECT
    pattern,
    missing_cells,
    ROW_NUMBER() OVER (ORDER BY pattern) - 1 AS place,
{% for place in range(attributes) %}
    CASE WHEN ((pattern >> {{ place }}) & 1) = 1 THEN 0 ELSE -1 END AS m{{ place }}{{ loop | between }}
{% endfor %}
FROM ways

-- name: class_matches_complete
-- Counts agreement for the classes without missing values, where a missing value is no value.
--
-- missing: none: a record with a missing value does not agree; wildcard: it agrees if all its other values are equal
--
-- takes: attributes
-- parameter wildcard: flag, a missing value agrees with every value; else with none
INSERT INTO class_matches
{% if wildcard %}
WITH sought AS (
    SELECT
        class_codes.class,
        class_patterns.pattern{% for place in range(attributes) %},
        class_codes.k{{ place }} & class_patterns.m{{ place }} AS k{{ place }}{% endfor %}

    FROM class_codes
    CROSS JOIN class_patterns
    WHERE class_codes.missing_cells = 0 AND class_patterns.missing_cells > 0
),
found AS (
    SELECT
        sought.class,
        SUM(class_codes.records) AS class_size,
        SUM(class_codes.weight) AS weight,
        SUM(class_codes.people) AS people
    FROM sought
    JOIN class_codes
        ON class_codes.pattern
            = sought.pattern{% for place in range(attributes) %}
            AND class_codes.k{{ place }} = sought.k{{ place }}{% endfor %}

    GROUP BY sought.class
)
SELECT
    'wildcard' AS missing,
    class_codes.class,
    class_codes.records,
    CAST(class_codes.records + COALESCE(found.class_size, 0) AS BIGINT) AS class_size,
    CAST(class_codes.weight + COALESCE(found.weight, 0) AS DECIMAL(38, 12)) AS weight,
    CAST(class_codes.people + COALESCE(found.people, 0) AS DECIMAL(38, 12)) AS people
FROM class_codes
LEFT JOIN found ON found.class = class_codes.class
WHERE class_codes.missing_cells = 0
{% else %}
SELECT 'none' AS missing, class, records, records AS class_size, weight, people
FROM class_codes
WHERE missing_cells = 0
{% endif %}

-- name: class_matches_none
-- Counts agreement for classes with some patterns of missing values, on the values that they have.
--
-- missing: an attacker knows nothing of a missing value of the record; a record without a value that this one has
--   does not agree with it
--
-- takes: attributes, first, last
INSERT INTO class_matches
WITH pairs AS (
    SELECT wanted.pattern AS wanted,
        held.pattern AS held{% for place in range(attributes) %}, wanted.m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    JOIN class_patterns AS held
        ON {{ range(attributes) | each("(held.m{x} & wanted.m{x}) = wanted.m{x}", between=" AND ") }}

    WHERE wanted.place BETWEEN {{ first | literal }} AND {{ last | literal }} AND wanted.missing_cells > 0
),
held AS (
    SELECT
        pairs.wanted AS pattern,
-- include: classes_of_pairs
found AS (
    SELECT
        pattern,
{% for place in range(attributes) %}
        k{{ place }},
{% endfor %}
        CAST(SUM(records) AS BIGINT) AS class_size,
        CAST(SUM(weight) AS DECIMAL(38, 12)) AS weight,
        CAST(SUM(people) AS DECIMAL(38, 12)) AS people
    FROM held
    SEMI JOIN (SELECT * FROM class_codes WHERE missing_cells > 0) AS asked
        USING (pattern{% for place in range(attributes) %}, k{{ place }}{% endfor %})
    GROUP BY pattern{% for place in range(attributes) %}, k{{ place }}{% endfor %}

)
SELECT 'none' AS missing, class_codes.class, class_codes.records, found.class_size, found.weight, found.people
FROM class_codes
JOIN found
    ON found.pattern
        = class_codes.pattern{% for place in range(attributes) %}
        AND found.k{{ place }} = class_codes.k{{ place }}{% endfor %}

-- name: class_matches_wildcard
-- Counts agreement for some patterns of missing values, where a missing value agrees with all.
--
-- missing: two records agree where every attribute is equal or missing in either
--
-- takes: attributes, first, last
INSERT INTO class_matches
WITH pairs AS (
    SELECT wanted.pattern AS wanted,
        held.pattern
        AS held{% for place in range(attributes) %}, wanted.m{{ place }} & held.m{{ place }} AS m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    CROSS JOIN class_patterns AS held
    WHERE wanted.place BETWEEN {{ first | literal }} AND {{ last | literal }} AND wanted.missing_cells > 0
),
sought AS (
    SELECT
        class_codes.class,
        class_codes.records,
        pairs.wanted,
        pairs.held{% for place in range(attributes) %},
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}

    FROM class_codes
    JOIN pairs ON pairs.wanted = class_codes.pattern
),
held AS (
    SELECT
        pairs.wanted,
        pairs.held,
-- include: classes_of_pairs
found AS (
    SELECT
        wanted,
        held,
{% for place in range(attributes) %}
        k{{ place }},
{% endfor %}
        SUM(records) AS class_size,
        SUM(weight) AS weight,
        SUM(people) AS people
    FROM held
    SEMI JOIN sought USING (wanted, held{% for place in range(attributes) %}, k{{ place }}{% endfor %})
    GROUP BY wanted, held{% for place in range(attributes) %}, k{{ place }}{% endfor %}

)
SELECT
    'wildcard' AS missing,
    sought.class,
    sought.records,
    CAST(SUM(found.class_size) AS BIGINT) AS class_size,
    CAST(SUM(found.weight) AS DECIMAL(38, 12)) AS weight,
    CAST(SUM(found.people) AS DECIMAL(38, 12)) AS people
FROM sought
JOIN found
    ON found.wanted = sought.wanted
        AND found.held
        = sought.held{% for place in range(attributes) %} AND found.k{{ place }} = sought.k{{ place }}{% endfor %}

GROUP BY sought.class, sought.records

-- name: class_counts
-- Adds the number of classes by size.
-- parameter missing: text, the rule for missing values
INSERT INTO class_frequencies
SELECT missing, 'record' AS unit, class_size, COUNT(*) AS classes, CAST(SUM(records) AS BIGINT) AS records,
    0 AS incomplete
FROM class_matches
WHERE missing = {{ missing | literal }} AND records > 0
GROUP BY missing, class_size

-- name: class_agreeing
-- The pairs of agreeing classes, or only those with a class of a user with missing values.
--
-- definition: none: theirs holds every value of mine; wildcard: both are equal wherever neither misses something
--
-- takes: attributes
-- parameter wildcard: flag, a missing value agrees with every value
-- parameter most: integer, the table ends there
-- parameter incomplete_only: flag, only the classes of users with missing values; else all classes
CREATE OR REPLACE TEMP TABLE class_agreeing AS
WITH pairs AS (
    SELECT wanted.pattern AS wanted,
        held.pattern
        AS held{% for place in range(attributes) %}, wanted.m{{ place }} & held.m{{ place }} AS m{{ place }}{% endfor %}

    FROM class_patterns AS wanted
    JOIN class_patterns AS held
        ON {% if wildcard %}TRUE{% else %}{{ range(attributes) | each("(held.m{x} & wanted.m{x}) = wanted.m{x}",
            between=" AND ") }}{% endif %}

),
mine AS (
    SELECT
        class_codes.class,
        pairs.held AS pattern{% for place in range(attributes) %},
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}{% for place in range(attributes) %},
        pairs.m{{ place }}{% endfor %},
        pairs.wanted
    FROM class_codes
    JOIN pairs ON pairs.wanted = class_codes.pattern
{% if incomplete_only %}
    WHERE class_codes.class IN (
        SELECT class_owners.class
        FROM class_owners
        JOIN class_histories ON class_histories.person = class_owners.person
        WHERE class_histories.incomplete
    )
{% endif %}
),
theirs AS (
    SELECT
        class_codes.class,
        class_codes.pattern,
        pairs.wanted{% for place in range(attributes) %},
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }}{% endfor %}

    FROM class_codes
    JOIN pairs ON pairs.held = class_codes.pattern
)
SELECT mine.class AS mine, theirs.class AS theirs
FROM mine
JOIN theirs
    ON theirs.wanted = mine.wanted
        AND theirs.pattern
        = mine.pattern{% for place in range(attributes) %} AND theirs.k{{ place }} = mine.k{{ place }}{% endfor %}

LIMIT {{ most }}
