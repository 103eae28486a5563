-- records
-- The records of a source under one name: opened, checked, counted, copied once where that is quicker.
--
-- source: our own
-- runs: finish
--
-- parameter source: relation, the records
-- parameter names: columns, one new name a column

-- name: parse_query
-- The parse tree of a query as JSON; an error for anything but one SELECT.
-- parameter query: text, the query
SELECT json_serialize_sql({{ query | literal }}) AS tree

-- name: condition_in_full
-- A query as the engine itself writes it, with all parentheses.
-- parameter query: expression, the query
SELECT json_deserialize_sql(json_serialize_sql({{ query | literal }})) AS text

-- name: select_all
-- All records of a relation.
--
-- takes: source
SELECT * FROM {{ source | relation }}

-- name: as_parquet
-- What to select of a relation so that Parquet holds it; its columns are taken by position and named anew.
--
-- definition: a type that Parquet has not is written as text, one of several values as JSON, which tells a number from a
--   text and the parts of a UNION apart: different values stay different
--
-- takes: names
-- parameter texts: columns, the new names of those to be written as text
-- parameter wholes: columns, the new names of those to be written as whole numbers of 38 digits
-- parameter documents: columns, the new names of those to be written as JSON
-- parameter variants: columns, those of any type, which not every engine writes right otherwise
{% for name in names %}
{% if name in texts %}
CAST(#{{ loop.index }} AS VARCHAR) AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% elif name in wholes %}
CAST(#{{ loop.index }} AS DECIMAL(38, 0)) AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% elif name in variants %}
CASE WHEN #{{ loop.index }} IS NOT NULL THEN CAST(#{{ loop.index }} AS JSON) END AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% elif name in documents %}
to_json(#{{ loop.index }}) AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% else %}
#{{ loop.index }} AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% endif %}
{% endfor %}

-- name: variant_as_json
-- A value of any type as it is written in JSON.
-- parameter column: column, the values
CASE WHEN {{ column | identifier }} IS NOT NULL THEN CAST({{ column | identifier }} AS JSON) END

-- name: like_source
-- Makes a table without records, its columns as those of the source.
--
-- definition: how the engine would make it again tells what the name of a type does not: by what rule texts are equal
--
-- takes: source, names
-- parameter name: column, the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT *
FROM {{ source | relation }} AS opened({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
LIMIT 0

-- name: made_again
-- The statement that makes a table of ours again.
-- parameter table: text, its name
SELECT sql FROM DUCKDB_TABLES() WHERE temporary AND table_name = {{ table | literal }}

-- name: by_characters
-- A text without the rule of its column by which an engine takes different texts for equal.
--
-- definition: its bytes read as a text
--
-- parameter column: column, of texts
DECODE(ENCODE({{ column | identifier }}))

-- name: restored
-- Records with the types that some columns had before they were written as texts.
--
-- takes: source
-- parameter columns: columns, those of texts
-- parameter kinds: expressions, the type of each
(
    SELECT * REPLACE ({% for column in columns %}CAST({{ column | identifier }} AS {{ kinds[loop.index0] | expression }}) AS {{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
    FROM {{ source | relation }}
)

-- name: long_sets
-- How many cells of a column are long sets of values, such as "{a, b}".
--
-- takes: source
-- parameter column: column, of texts
-- parameter most: integer, characters of a cell that is not long
SELECT COUNT(*) AS cells
FROM {{ source | relation }}
WHERE LENGTH({{ column | identifier }}) > {{ most | literal }} AND {{ column | identifier }} LIKE '{' || '%' || '}'

-- name: text_sizes
-- How many bytes the texts of a column take, and how many long ones read as a set, a prefix or an interval of values.
--
-- takes: source
-- parameter column: column, of texts
-- parameter most: integer, characters of a text that is not long
SELECT
    CAST(COALESCE(SUM(STRLEN({{ column | identifier }})), 0) AS BIGINT) AS bytes,
    COUNT(
        CASE
            WHEN LENGTH({{ column | identifier }}) > {{ most | literal }}
            AND REGEXP_MATCHES({{ column | identifier }}, '^[{].*[}]$|[*]$|^[][(].*[])[]$', 's') THEN 1
        END
    ) AS generalised
FROM {{ source | relation }}

-- name: text_beginnings
-- How many different texts several tables have together, and how many different beginnings of each length.
--
-- definition: texts are counted by their MD5 sums, which take 16 bytes each
--
-- parameter tables: expressions, the relation of each table
-- parameter columns: columns, the column of texts of each table
-- parameter lengths: integers, characters of a beginning
SELECT
    COUNT(DISTINCT MD5_NUMBER(text)) AS texts,
    [{% for length in lengths %}COUNT(DISTINCT MD5_NUMBER(LEFT(text, {{ length }}))){% if not loop.last %}, {% endif %}{% endfor %}] AS beginnings
FROM (
{% for table in tables %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT {{ columns[loop.index0] | identifier }} AS text FROM {{ table | expression }} AS records
{% endfor %}
) AS texts

-- name: count_records
-- How many records there are, or can be read of a text file.
--
-- runs: wide
--
-- parameter source: relation, the records, with a column c0
-- parameter most: integer or none, read so many at most
SELECT COUNT(*) AS records
FROM (
    SELECT c0 FROM {{ source | relation }}
{% if most is not none %}
    LIMIT {{ most | literal }}
{% endif %}
)

-- name: count_unrestricted
-- Records of a source before a condition or a query chose some of them.
--
-- parameter source: relation, the source as it is
SELECT COUNT(*) AS records
FROM {{ source | relation }}

-- name: copy_records
-- Reads a relation once into a private Parquet file, in its order: records are known by their numbers.
-- takes: source
-- parameter path: text, the file
-- parameter selected: expression, what to write of them
-- parameter parts: integer, 1 where they come from very many files
-- parameter group_bytes: integer or none, the size from which a row group is written
COPY (
    SELECT {{ selected | expression }}
    FROM {{ source | relation }}
{% if parts %}
    -- The same order, by a sort: each file is a batch of its own to the engine, which looks through all batches
    -- whenever it puts some together.
    ORDER BY ROW_NUMBER() OVER ()
{% endif %}
) TO {{ path | literal }} (FORMAT parquet{% if group_bytes is not none %}, ROW_GROUP_SIZE_BYTES {{ group_bytes | literal }}{% endif %}, USE_TMP_FILE false, PRESERVE_ORDER true)

-- name: hold_records
-- Keeps the records as a table, in their order: records are known by their numbers.
-- takes: source
-- parameter name: column, the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT * FROM {{ source | relation }} AS records
-- Without an order each thread of the engine would put its part where it is.
ORDER BY ROW_NUMBER() OVER ()

-- name: open_view
-- Opens a relation under a name, with its columns renamed by position.
-- takes: source, names
-- parameter name: column, the view's name
-- parameter columns: columns or none, those of the new names that the view has; none has all
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT {% if columns is none %}*{% else %}{% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}{% endif %}

FROM {{ source | relation }} AS opened({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})

-- name: try_condition
-- Whether one record of missing values meets a condition: an error tells that the condition cannot be used.
-- takes: source, names
-- parameter where: expression, the condition
SELECT COUNT(*) AS records
FROM (
    SELECT opened.*
    FROM (SELECT 1) AS single
    LEFT JOIN (SELECT * FROM {{ source | relation }} LIMIT 0)
        AS opened({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
    ON TRUE
) AS opened
WHERE ({{ where | expression }}
)
