-- spark_classes
-- The classes of a quasi-identifier in Spark SQL: values leave the engine as numbers.
--
-- source: as the statements without spark__
-- runs: wide
-- makes: class_frequencies, class_profiles, known_classes
--
-- parameter source: relation, the records
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing values

-- name: spark__class_pass
-- Counts the classes of the records: as class_pass, in one part.
--
-- missing: a missing value is a value of its own; "incomplete" counts the records with one
--
-- takes: source, attributes
INSERT INTO class_frequencies
WITH records AS (
    SELECT {{ attributes | each("{x.value} AS v{i}") }}

    FROM {{ source | relation }}
),
classes AS (
    SELECT
        COUNT(*) AS class_size,
        MAX(CASE WHEN {{ attributes | each("v{i} IS NULL", between=" OR ") }} THEN 1 ELSE 0 END) AS incomplete
    FROM records
    GROUP BY {{ attributes | each("v{i}") }}

)
SELECT
    'value' AS missing,
    'record' AS unit,
    class_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records,
    CAST(SUM(class_size * incomplete) AS BIGINT) AS incomplete
FROM classes
GROUP BY class_size

-- name: spark__known_classes
-- The classes of the records, their values numbered in order: as known_classes, without weights or a population.
--
-- missing: a missing value is a value of its own
--
-- takes: source, attributes
CREATE OR REPLACE TEMP TABLE known_classes AS
WITH known AS (
    SELECT {{ attributes | each("{x.value} AS v{i}") }}

    FROM {{ source | relation }}
),
classes AS (
    SELECT {% for attribute in attributes %}v{{ loop.index0 }}, {% endfor %}COUNT(*) AS records
    FROM known
    GROUP BY {{ attributes | each("v{i}") }}

)
SELECT
{% for attribute in attributes %}
    CASE WHEN v{{ loop.index0 }} IS NULL THEN NULL
        ELSE CAST(DENSE_RANK() OVER (ORDER BY v{{ loop.index0 }}) AS BIGINT) END AS v{{ loop.index0 }},
{% endfor %}
    {{ attributes | each("(CASE WHEN v{i} IS NULL THEN 1 ELSE 0 END)", between=" + ") }} AS missing_cells,
    records,
    CAST(records AS DECIMAL(38, 12)) AS weight,
    CAST(0 AS BIGINT) AS unweighted,
    CAST(0 AS DECIMAL(38, 12)) AS people
FROM classes

-- name: spark__class_profiles
-- The number of users with the same profile as each user, by numbers: as class_profiles.
--
-- definition: profiles are equal where users have as many records, and two sums of hashes of 64 bits over these are
--   equal: two different profiles are taken for equal with a probability of 2^-128. No worker has to hold all records
--   of a user.
-- missing: a missing value is a value of its own; a record without a user is left out
--
-- takes: source, attributes
-- parameter user: column, of the record
CREATE OR REPLACE TEMP TABLE class_profiles AS
WITH records AS (
    SELECT {{ user | identifier }}
        AS person{% for attribute in attributes %}, {{ attribute | value }} AS v{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
    WHERE {{ user | identifier }} IS NOT NULL
),
profiles AS (
    SELECT
        person,
        COUNT(*) AS records,
{% for number in (1, 2) %}
        -- A missing value does not change a hash, so whether it is missing is hashed as well.
        SUM(CAST(XXHASH64(
            {{ number }}{% for attribute in attributes %}, v{{ loop.index0 }}, v{{ loop.index0 }} IS NULL{% endfor %})
            AS DECIMAL(38, 0))) AS hashes{{ number }}{{ loop | between }}
{% endfor %}
    FROM records
    GROUP BY person
),
sizes AS (
    SELECT
        person,
        COUNT(*) OVER (PARTITION BY records, hashes1, hashes2) AS class_size,
        MIN(person) OVER (PARTITION BY records, hashes1, hashes2) AS first
    FROM profiles
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY person) AS BIGINT) AS person,
    CAST(DENSE_RANK() OVER (ORDER BY first) AS BIGINT) AS class,
    class_size
FROM sizes
