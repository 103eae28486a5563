-- people_behind
-- Finds the person behind each record of a release without a user column, from the table it was made of.
--
-- idea: records of both tables have numbers in their order. Where the recipe of the release left records out or put
--   them into another order, its steps are done again on the original, whose records keep their numbers.
-- source: our own
-- runs: finish
-- makes: people_behind, release_with_people, released_numbers
--
-- parameter original: relation, the records of the original
-- parameter release: relation, the records of the release
-- parameter numbers: relation, the number of the original's record ("record") by that of the release's ("number")
-- parameter columns: columns, of the original, or of the release if there is no original

-- name: kept_numbers
-- Creates the table of original record numbers after a treatment, by record number of the release.
--
-- parameter source: relation, the treated records, with the record numbers of the original
-- parameter order: expression, by which the release is ordered
CREATE OR REPLACE TEMP TABLE released_numbers AS
SELECT record, ROW_NUMBER() OVER (ORDER BY place) - 1 AS number
FROM (SELECT record, {{ order | expression }} AS place FROM {{ source | relation }} AS records) AS placed

-- name: given_numbers
-- Creates the table of original record numbers of a release from a list of them in its order.
--
-- parameter source: relation, the record numbers of the original, as "c0"
CREATE OR REPLACE TEMP TABLE released_numbers AS
SELECT c0 AS record, ROW_NUMBER() OVER () - 1 AS number
FROM {{ source | relation }} AS records

-- name: same_numbers
-- Creates the table of record numbers of a release that has all records in the order of the original.
-- takes: original
CREATE OR REPLACE TEMP TABLE released_numbers AS
SELECT ROW_NUMBER() OVER () - 1 AS record, ROW_NUMBER() OVER () - 1 AS number
FROM {{ original | relation }} AS records

-- name: key_numbers
-- Creates the table of record numbers of a release by a column that is a key of both tables.
-- takes: original, release
-- parameter original_key: column, of the original
-- parameter release_key: column, of the release
CREATE OR REPLACE TEMP TABLE released_numbers AS
SELECT originals.record, releases.number
FROM (SELECT ROW_NUMBER() OVER () - 1 AS record, CAST({{ original_key | identifier }} AS VARCHAR) AS key
    FROM {{ original | relation }} AS records) AS originals
JOIN (SELECT ROW_NUMBER() OVER () - 1 AS number, CAST({{ release_key | identifier }} AS VARCHAR) AS key
    FROM {{ release | relation }} AS records) AS releases
    ON releases.key = originals.key

-- name: rows_alike
-- Counts the values of each column of a release that equal the value of the original record.
--
-- definition: "present" counts the cells of the release with a value, "alike" those with the original's value;
--   "varies" is whether the release has several values
--
-- takes: original, release, numbers, columns
-- parameter released: columns, the same of the release, in the same order
SELECT
    [{{ columns | each("COUNT(releases.v{i})") }}] AS present,
    [{{ columns | each("COUNT(CASE WHEN releases.v{i} = originals.v{i} THEN 1 END)") }}] AS alike,
    [{{ columns | each("COALESCE(MIN(releases.v{i}) <> MAX(releases.v{i}), FALSE)") }}] AS varies
FROM {{ numbers | relation }} AS numbers
JOIN (SELECT ROW_NUMBER() OVER ()
    - 1 AS record{% for column in columns %},
    CAST({{ column | identifier }} AS VARCHAR) AS v{{ loop.index0 }}{% endfor %}
    FROM {{ original | relation }} AS records) AS originals
    ON originals.record = numbers.record
JOIN (SELECT ROW_NUMBER() OVER ()
    - 1 AS number{% for column in released %},
    CAST({{ column | identifier }} AS VARCHAR) AS v{{ loop.index0 }}{% endfor %}
    FROM {{ release | relation }} AS records) AS releases
    ON releases.number = numbers.number

-- name: foreign_values
-- Counts the distinct values of a column of the release that do not occur in the original.
--
-- takes: original, release
-- parameter column: column, of the original
-- parameter released_column: column, of the release
SELECT COUNT(*) AS found
FROM (SELECT DISTINCT CAST({{ released_column | identifier }} AS VARCHAR) AS value
    FROM {{ release | relation }} AS records) AS releases
ANTI JOIN (SELECT CAST({{ column | identifier }} AS VARCHAR) AS value FROM {{ original | relation }} AS records)
    AS originals
    ON originals.value = releases.value
WHERE releases.value IS NOT NULL

-- name: people_behind
-- Creates the table of the person behind each record of a release, by record number.
--
-- takes: original, numbers
-- parameter user: column, of the person behind a record of the original
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT numbers.number, originals.person
FROM {{ numbers | relation }} AS numbers
JOIN (SELECT ROW_NUMBER() OVER () - 1 AS record, {{ user | identifier }} AS person
    FROM {{ original | relation }} AS records) AS originals
    ON originals.record = numbers.record

-- name: release_with_people
-- Stores the records of a release with the person behind each as an additional column.
--
-- takes: release, columns
-- parameter people: column, the table of the people
-- parameter person: column, name of the new column
CREATE OR REPLACE TEMP TABLE release_with_people AS
SELECT {% for column in columns %}releases.{{ column | identifier }}, {% endfor %}people.person
    AS {{ person | identifier }}
FROM (SELECT ROW_NUMBER() OVER () - 1 AS number, * FROM {{ release | relation }} AS records) AS releases
JOIN {{ people | identifier }} AS people ON people.number = releases.number
