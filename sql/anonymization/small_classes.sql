-- small_classes
-- Removes records of small equivalence classes.
--
-- source: Sweeney, k-anonymity, 2002 (outliers are suppressed)
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter columns: columns, on which the records of a class agree

-- name: class_tuples
-- The distinct combinations of values that form classes, with their records or users.
--
-- missing: a missing cell is a value like another
--
-- takes: name, source
-- parameter columns: columns, those whose cells make the classes
-- parameter user: column or none, count users by this column; none counts records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {% for column in columns %}{{ column | identifier }},
    {% endfor %}{% if user %}COUNT(DISTINCT {{ user | identifier }}){% else %}COUNT(*){% endif %} AS class_records
FROM {{ source | relation }} AS records
GROUP BY {{ columns | identifiers }}

-- name: leave_small_classes
-- Removes the combinations whose equivalence class under some columns is small.
--
-- definition: the class of a record are the records that agree with it on the columns
-- source: Sweeney, k-anonymity (outliers are suppressed)
-- missing: a missing cell is a value like another
--
-- takes: columns
-- parameter name: column, the table of the combinations that are left
-- parameter below: integer, classes of fewer records than these are small
DELETE FROM {{ name | identifier }} AS combinations
WHERE EXISTS (
    SELECT 1
    FROM (
        SELECT {{ columns | identifiers }}

        FROM {{ name | identifier }} AS classes
        GROUP BY {{ columns | identifiers }}

        HAVING SUM(class_records) < {{ below | literal }}
    ) AS small
    WHERE {{ columns | each("(small.{x.identifier} IS NOT DISTINCT FROM combinations.{x.identifier})",
        between=" AND ") }}

)

-- name: records_left_out
-- Lists the records whose combination of values was removed.
-- takes: name, source
-- parameter remaining: relation, the combinations that are left
-- parameter columns: columns, whose cells are combined
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT records.record
FROM {{ source | relation }} AS records
WHERE NOT EXISTS (
    SELECT 1
    FROM {{ remaining | relation }} AS combinations
    WHERE {{ columns | each("(combinations.{x.identifier} IS NOT DISTINCT FROM records.{x.identifier})",
        between=" AND ") }}

)

-- name: smallest_class
-- The size of the smallest equivalence class under some columns.
--
-- source: Sweeney, k-anonymity
-- missing: a missing cell is a value like another; NULL without records
--
-- takes: columns
-- parameter source: relation, the combinations of cells with their records
SELECT CAST(MIN(size) AS BIGINT) AS smallest
FROM (
    SELECT SUM(class_records) AS size
    FROM {{ source | relation }} AS combinations
    GROUP BY {{ columns | identifiers }}

) AS classes
