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

-- name: disclosing_classes
-- Lists the combinations whose equivalence class discloses a sensitive value of its people.
--
-- definition: at least nine of ten people of the class have the value in any record, and at least 1.5 times the share
--   of all people
-- source: as disclosed_people
-- missing: a missing sensitive value is no value; a record without a person is left out
--
-- takes: name, source, columns
-- parameter remaining: column, the combinations that are left
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter forms: attributes, the sensitive columns as they are, and in coarser forms
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH known AS MATERIALIZED (
    SELECT {{ user | person }} AS person, {{ columns | identifiers }}{% for form in forms %},
        HASH({{ loop.index0 }}, {{ form | value }}) AS s{{ loop.index0 }},
        {{ form | value }} IS NULL AS is_missing{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }} AS records
    WHERE EXISTS (
        SELECT 1
        FROM {{ remaining | identifier }} AS remaining
        WHERE {{ columns | each("(remaining.{x.identifier} IS NOT DISTINCT FROM records.{x.identifier})",
            between=" AND ") }}

    )
),
members AS (
    SELECT DISTINCT person, {{ columns | identifiers }} FROM known WHERE person IS NOT NULL
),
owned AS (
{% for _ in forms %}
    SELECT person, s{{ loop.index0 }} AS value
    FROM known
    WHERE person IS NOT NULL AND NOT is_missing{{ loop.index0 }}
    GROUP BY ALL
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
shares AS (
    SELECT value, COUNT(*) AS value_people FROM owned GROUP BY value
)
SELECT DISTINCT {{ columns | identifiers }}

FROM (
    SELECT {{ columns | identifiers }}, value, COUNT(*) AS held
    FROM members
    JOIN owned USING (person)
    GROUP BY ALL
) AS counted
JOIN shares USING (value)
JOIN (
    SELECT {{ columns | each("{x.identifier} AS k{i}") }}, COUNT(*) AS people FROM members GROUP BY ALL
) AS classes
    ON {{ columns | each("(classes.k{i} IS NOT DISTINCT FROM counted.{x.identifier})", between=" AND ") }}

WHERE 10 * held >= 9 * people
    AND 2 * CAST(held AS HUGEINT) * (SELECT COUNT(DISTINCT person) FROM members)
        >= 3 * CAST(value_people AS HUGEINT) * people

-- name: leave_other_classes
-- Removes the combinations that a table lists.
--
-- takes: name, columns
-- parameter listed: column, the combinations to remove
DELETE FROM {{ name | identifier }} AS combinations
WHERE EXISTS (
    SELECT 1
    FROM {{ listed | identifier }} AS listed
    WHERE {{ columns | each("(listed.{x.identifier} IS NOT DISTINCT FROM combinations.{x.identifier})",
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
