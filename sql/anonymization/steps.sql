-- steps
-- The steps of treatments. Each reads the records as the previous step left them.
--
-- idea: a step is a relation on the relation of the previous step, so a treatment is one statement that scans the
--   records once. Whatever needs all records first (record numbers, columns with few values) is a table.
-- source: our own
-- runs: finish
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter where: expression, the condition
-- parameter names: columns, the original names, and an unused name for the record number at the end

-- name: joins_mix
-- Counts how many of a few thousand numbers a join of this engine reorders.
--
-- definition: numbers that find something and numbers that do not stay among one another, or the first come first
-- source: DuckDB 1.5 gives what finds nothing at the end of each 2,048 records; 2.0 leaves it in its place
SELECT COUNT(*) AS found
FROM (
    SELECT
        number
        , ROW_NUMBER() OVER () - 1 AS place
    FROM (
        SELECT
            ROW_NUMBER() OVER () - 1 AS number
            , i % 7 AS digit
            , CAST(i % 11 AS VARCHAR) AS letter
        FROM RANGE(5000) AS numbers(i)
    ) AS numbered
    LEFT JOIN (SELECT i AS known FROM RANGE(3) AS few(i)) AS digits ON digits.known = numbered.digit
    LEFT JOIN (SELECT CAST(i AS VARCHAR) AS known FROM RANGE(4) AS few(i)) AS letters ON letters.known = numbered.letter
) AS joined
WHERE number <> place

-- name: number_records
-- The records with their number, from 0, in the order of the source.
--
-- runs: wide
--
-- takes: name, source, columns
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    ROW_NUMBER() OVER () - 1 AS record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: few_values
-- The number of distinct values among the first records.
--
-- takes: source
-- parameter value: expression, the value of a record
-- parameter max_records: integer, number of records to read
SELECT COUNT(DISTINCT value) AS found
FROM (
    SELECT {{ value | expression }} AS value
    FROM {{ source | relation }} AS records
    LIMIT {{ max_records | literal }}
) AS opening

-- name: plain_records
-- The records without the lists of possible values that column types hold.
--
-- definition: the same texts; an ENUM is written with all its values, also those of records that were left out
--
-- takes: name, source, columns
-- parameter listing: columns, those whose types list values
-- parameter kinds: expressions, these types with a text instead of every list
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for each in columns %}
{% if each in listing %}
    , CAST({{ each | identifier }} AS {{ kinds[listing.index(each)] | expression }}) AS {{ each | identifier }}
{% else %}
    , {{ each | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: label_texts
-- Creates the table of the distinct texts of a column.
-- parameter name: column, the table
-- parameter source: relation, that has the column
-- parameter column: column, of texts or of a type that lists them
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT CAST({{ column | identifier }} AS VARCHAR) AS value
FROM {{ source | relation }} AS records
WHERE {{ column | identifier }} IS NOT NULL
GROUP BY {{ column | identifier }}

-- name: label_type
-- Creates an ENUM type of a few texts.
-- parameter name: column, the type
-- parameter source: relation, the texts
CREATE OR REPLACE TEMP TYPE {{ name | identifier }} AS ENUM (SELECT value FROM {{ source | relation }} AS texts
    ORDER BY value)

-- name: label_table
-- Creates the table that casts a few texts to their ENUM type.
-- parameter name: column, the table
-- parameter source: relation, that has the texts
-- parameter text: column, of the texts
-- parameter kind: column, the type
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    *
    , CAST({{ text | identifier }} AS {{ kind | identifier }}) AS label
FROM {{ source | relation }} AS texts

-- name: listed_values
-- Creates the table with the values of a domain in one list, so that an index picks a value.
--
-- definition: the value of number n, from 0, has index n + 1
-- source: perturbation
-- missing: a missing value keeps its index
--
-- parameter name: column, the table
-- parameter source: relation, the values, with their numbers
-- parameter value: column, of the values
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT LIST({{ value | identifier }} ORDER BY number) AS listed
FROM {{ source | relation }} AS numbered

-- name: replace_cells
-- The records with one column recomputed.
--
-- definition: a left join with a small table, where there is one, keeps all records, and so does the one list of a
--   domain
-- runs: wide
--
-- takes: name, source, columns
-- parameter column: column, the one that is computed
-- parameter cell: expression, its new cell; a column of the looked-up table is written looked_up.column
-- parameter table: relation or none, the table that is looked up
-- parameter match_condition: expression or none, when a row of that table belongs to a record
-- parameter listed: relation or none, a table of one row with the list of a domain, written domain.listed
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for each in columns %}
{% if each == column %}
    , {{ cell | expression }} AS {{ column | identifier }}
{% else %}
    , {{ each | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records
{% if table is not none %}
LEFT JOIN {{ table | relation }} AS looked_up ON {{ match_condition | expression }}
{% endif %}
{% if listed is not none %}
CROSS JOIN {{ listed | relation }} AS domain
{% endif %}

-- name: keep_records
-- The records that meet a condition of duckrisk.
--
-- runs: wide
--
-- takes: name, source, columns
-- parameter condition: expression, the condition
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
WHERE {{ condition | expression }}

-- name: sorted_places
-- Creates the table of the places of the records in the order of their values.
--
-- missing: first
--
-- takes: name, source
-- parameter order: expression, the place of a record by all its values
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT record, {{ order | expression }} AS place
FROM {{ source | relation }} AS records

-- name: leave_out_listed
-- The records that are not listed in a table.
-- takes: name, source, columns
-- parameter listed: column, the table
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
WHERE NOT EXISTS (SELECT 1 FROM {{ listed | identifier }} AS listed WHERE listed.record = records.record)

-- name: bare_condition
-- A user's condition without parentheses around it: it must not close a parenthesis that it did not open.
--
-- takes: where
SELECT
    {{ where | expression }}
    AS met

-- name: count_meeting
-- Counts the records that meet a user's condition, under the original column names.
--
-- runs: wide
--
-- takes: source, columns, names, where
SELECT
    COUNT(*) AS records
    , CAST(COALESCE(SUM(CASE WHEN ({{ where | expression }}
    ) THEN 1 ELSE 0 END), 0) AS BIGINT) AS met
FROM (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS {{ names[loop.index0] | identifier }},
{% endfor %}
        record AS {{ names[-1] | identifier }}
    FROM {{ source | relation }} AS records
) AS opened

-- name: count_where
-- Counts the records that meet a condition of duckrisk.
--
-- runs: wide
--
-- takes: source
-- parameter met: expression, the condition
SELECT
    COUNT(*) AS records
    , CAST(COALESCE(SUM(CASE WHEN {{ met | expression }} THEN 1 ELSE 0 END), 0) AS BIGINT) AS met
FROM {{ source | relation }} AS records

-- name: delete_records
-- The records that do not meet a user's condition, under the original column names.
--
-- missing: a condition that is neither true nor false keeps the record
-- runs: wide
--
-- takes: name, source, columns, names, where
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    {{ names[-1] | identifier }} AS record
{% for column in columns %}
    , {{ names[loop.index0] | identifier }} AS {{ column | identifier }}
{% endfor %}
FROM (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS {{ names[loop.index0] | identifier }},
{% endfor %}
        record AS {{ names[-1] | identifier }}
    FROM {{ source | relation }} AS records
) AS opened
WHERE ({{ where | expression }}
) IS NOT TRUE

-- name: suppress_cells
-- The records with one column suppressed where a user's condition holds.
--
-- missing: a condition that is neither true nor false keeps the cell
--
-- takes: name, source, columns, names, where
-- parameter column: column, the one whose cells are suppressed
-- parameter set_missing: flag, set the value to missing and keep the type; else write *
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    {{ names[-1] | identifier }} AS record
{% for each in columns %}
{% if each == column and set_missing %}
    , CASE WHEN ({{ where | expression }}
    ) THEN NULL ELSE {{ names[loop.index0] | identifier }} END AS {{ column | identifier }}
{% elif each == column %}
    , CASE WHEN ({{ where | expression }}
    ) THEN '*' ELSE CAST({{ names[loop.index0] | identifier }} AS VARCHAR) END AS {{ column | identifier }}
{% else %}
    , {{ names[loop.index0] | identifier }} AS {{ each | identifier }}
{% endif %}
{% endfor %}
FROM (
    SELECT
{% for each in columns %}
        {{ each | identifier }} AS {{ names[loop.index0] | identifier }},
{% endfor %}
        record AS {{ names[-1] | identifier }}
    FROM {{ source | relation }} AS records
) AS opened
