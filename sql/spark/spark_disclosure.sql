-- spark_disclosure
-- Attribute disclosure by the classes of a quasi-identifier, on a distributed engine.
--
-- idea: the engine counts which class holds which value how often, both by numbers in the order of the values, and
--   group_disclosure makes the figures of these counts, each class being a group of its own. Tests hold the two equal.
-- source: as attribute_disclosure
-- runs: finish
-- makes: sensitive_counts, sensitive_members, sensitive_values
--
-- parameter source: relation, the records
-- parameter column: column, the sensitive attribute

-- name: sensitive_counts
-- The records by class and value of the sensitive attribute, both by number.
--
-- missing: a missing value is a value of its own
-- runs: wide
--
-- takes: source, column
-- parameter columns: columns, the quasi-identifiers
CREATE OR REPLACE TEMP TABLE sensitive_counts AS
WITH cells AS (
    SELECT {% for name in columns %}{{ name | identifier }} AS v{{ loop.index0 }}, {% endfor %}{{ column | identifier }}
        AS value
    FROM {{ source | relation }}
),
different AS (
    SELECT {% for _ in columns %}v{{ loop.index0 }}, {% endfor %}value, COUNT(*) AS n
    FROM cells
    GROUP BY {% for _ in columns %}v{{ loop.index0 }}, {% endfor %}value
)
SELECT
    CAST(DENSE_RANK() OVER (ORDER BY {{ columns | each("v{i}") }}) AS BIGINT) AS class,
    CASE WHEN value IS NULL THEN NULL ELSE CAST(DENSE_RANK() OVER (ORDER BY value) AS BIGINT) END AS value,
    n
FROM different

-- name: counted_sensitive_members
-- The classes as groups of members: as sensitive_classes, from the counts.
CREATE OR REPLACE TEMP TABLE sensitive_members AS
SELECT class AS member, CAST(SUM(n) AS BIGINT) AS n, class
FROM sensitive_counts
GROUP BY class

-- name: counted_sensitive_values
-- The records by class and value: as class_sensitive_values, from the counts and with missing values.
CREATE OR REPLACE TEMP TABLE sensitive_values AS
SELECT class AS member, value, n
FROM sensitive_counts

-- name: spark__user_sensitive_values
-- The distinct values of the sensitive attribute of each user, both by number: as user_sensitive_values.
--
-- definition: users have the numbers that class_profiles gives them
-- missing: a missing value is a value of its own
-- runs: wide
--
-- takes: source, column
-- parameter user: column, of the record
CREATE OR REPLACE TEMP TABLE sensitive_values AS
WITH different AS (
    SELECT DISTINCT {{ user | identifier }} AS person, {{ column | identifier }} AS value
    FROM {{ source | relation }}
    WHERE {{ user | identifier }} IS NOT NULL
)
SELECT
    CAST(DENSE_RANK() OVER (ORDER BY person) AS BIGINT) AS member,
    CASE WHEN value IS NULL THEN NULL ELSE CAST(DENSE_RANK() OVER (ORDER BY value) AS BIGINT) END AS value,
    CAST(1 AS BIGINT) AS n
FROM different
