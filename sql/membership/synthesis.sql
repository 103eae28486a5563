-- synthesis
-- Creates the tables of a search for a release that passes, and stores its state.
--
-- source: PWS Cup 2020
-- runs: finish
--
-- parameter name: column, the table
-- parameter columns: columns, of it
-- parameter moves: relation, the proposals
-- parameter fresh: relation, the fresh records
-- parameter path: text, the file

-- name: distinct_records
-- Creates a table of distinct records, drawn from all distinct records.
--
-- definition: of equal records the first one; they are put in the order of the numbers drawn for them, and the first
--   are taken
-- source: PWS Cup 2020, the population B
-- missing: there are no missing values
--
-- takes: name, columns
-- parameter source: relation, an encoded table
-- parameter drawn: expression, the drawn number of a record
-- parameter max_records: integer, as many are taken at most
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH different AS (
    SELECT MIN(record) AS record{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ source | relation }} AS records
    GROUP BY {{ columns | identifiers }}

),
placed AS (
    SELECT ROW_NUMBER() OVER (ORDER BY {{ drawn | expression }}, record)
        - 1 AS place{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM different
)
SELECT place AS record{% for column in columns %}, {{ column | identifier }}{% endfor %}

FROM placed
WHERE place < {{ max_records }}
ORDER BY place

-- name: moved_records
-- The fresh records of the proposals, numbered in order.
--
-- takes: moves, fresh
-- parameter name: column, the view
-- parameter columns: columns, of these
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT moves.slot AS record, moves.proposal,
    moves.position{% for column in columns %}, fresh.{{ column | identifier }}{% endfor %}

FROM {{ moves | relation }} AS moves
JOIN {{ fresh | relation }} AS fresh ON fresh.record = moves.origin

-- name: swap_deltas
-- The change of the sums by each proposal, from its swapped records alone.
-- takes: moves, fresh
-- parameter current: relation, the records as they are
-- parameter codes: columns, the columns behind indexes and contributions
-- parameter cells: expression, the indexes of a record
-- parameter values: expression, its contributions to these
SELECT proposal, cell, CAST(SUM(sign * value) AS BIGINT) AS delta
FROM (
    SELECT proposal, sign, UNNEST({{ cells | expression }}) AS cell, UNNEST({{ values | expression }}) AS value
    FROM (
        SELECT moves.proposal, 1 AS sign{% for code in codes %}, fresh.{{ code | identifier }}{% endfor %}

        FROM {{ moves | relation }} AS moves
        JOIN {{ fresh | relation }} AS fresh ON fresh.record = moves.origin
        UNION ALL
        SELECT moves.proposal, -1 AS sign{% for code in codes %}, gone.{{ code | identifier }}{% endfor %}

        FROM {{ moves | relation }} AS moves
        JOIN {{ current | relation }} AS gone ON gone.record = moves.position
    ) AS swapped
) AS added
GROUP BY proposal, cell
HAVING SUM(sign * value) <> 0
ORDER BY proposal, cell

-- name: synthetic_records
-- Encoded records with the column types of the source.
--
-- definition: numbers have the type of their column; a number that rounding of doubles moves out of a wide type is
--   the largest or smallest of the source
-- missing: there are no missing values
--
-- takes: columns
-- parameter name: column, the view
-- parameter source: relation, the encoded table
-- parameter kinds: expressions, the types
-- parameter wide: columns, those with integers beyond the precision of a double
-- parameter original: relation, the source
-- parameter bindings: columns, of the source
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
{% set binding = bindings[loop.index0] %}
{% if column in wide %}
    , COALESCE(TRY_CAST({{ column | identifier }} AS {{ kinds[loop.index0] | expression }}),
        CASE WHEN {{ column | identifier }} > 0
        THEN (SELECT MAX({{ binding | identifier }}) FROM {{ original | relation }} AS records)
        ELSE (SELECT MIN({{ binding | identifier }}) FROM {{ original | relation }} AS records) END)
        AS {{ column | identifier }}
{% else %}
    , CAST({{ column | identifier }} AS {{ kinds[loop.index0] | expression }}) AS {{ column | identifier }}
{% endif %}
{% endfor %}
FROM {{ source | relation }} AS records

-- name: write_state
-- Writes the state of an annealing: the best tables, the current tables, and the parameters.
-- takes: path
-- parameter tables: columns, the tables
-- parameter columns: columns, of their records
-- parameter facts: text, further parameters
-- parameter group_bytes: integer or none, the size from which a row group is written
COPY (
{% for table in tables %}
    SELECT {{ loop.index0 }} AS place, record, draw,
        origin{% for column in columns %}, {{ column | identifier }}{% endfor %}

    FROM {{ table | identifier }} AS records
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
    ORDER BY place, record
) TO {{ path | literal }} (FORMAT parquet, KV_METADATA {duckrisk: {{ facts | literal }}},
    USE_TMP_FILE FALSE{% if group_bytes is not none %}, ROW_GROUP_SIZE_BYTES {{ group_bytes | literal }}{% endif %})

-- name: state_facts
-- The header of a state file of an annealing, as JSON; no row for another file.
-- takes: path
SELECT DECODE(value) AS facts
FROM PARQUET_KV_METADATA({{ path | literal }})
WHERE DECODE(key) = 'duckrisk'

-- name: state_records
-- Creates a table from a state file.
-- takes: name, path
-- parameter table_index: integer, index of the table
-- parameter columns: columns, of its records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT record, draw, origin{% for column in columns %}, {{ column | identifier }}{% endfor %}

FROM READ_PARQUET({{ path | literal }})
WHERE place = {{ table_index }}
