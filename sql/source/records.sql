-- records
-- The records of a source as one view: checked, counted, and copied once if that is faster.
--
-- source: our own
-- runs: finish
--
-- parameter source: relation, the records
-- parameter names: columns, new names of the columns, in order

-- name: parse_query
-- Parse tree of a query as JSON; an error unless it is one SELECT.
-- parameter query: text, the query
SELECT json_serialize_sql({{ query | literal }}) AS tree

-- name: condition_in_full
-- A query as the engine prints it, with all parentheses.
-- parameter query: expression, the query
SELECT json_deserialize_sql(json_serialize_sql({{ query | literal }})) AS text

-- name: select_all
-- All records of a relation.
--
-- takes: source
SELECT * FROM {{ source | relation }}

-- name: as_parquet
-- Select list that writes a relation to Parquet, with new names for its columns.
--
-- definition: a type that Parquet lacks becomes text; a nested one becomes JSON, which distinguishes a number from a
--   text and the members of a UNION, so that different values stay different
--
-- takes: names
-- parameter texts: columns, new names of columns to write as text
-- parameter wholes: columns, new names of columns to write as whole numbers of 38 digits
-- parameter documents: columns, new names of columns to write as JSON
-- parameter variants: columns, those of them with VARIANT values, which some engines write wrongly otherwise
{% for name in names %}
{% if name in texts %}
CAST(#{{ loop.index }} AS VARCHAR) AS {{ name | identifier }}{{ loop | between }}
{% elif name in wholes %}
CAST(#{{ loop.index }} AS DECIMAL(38, 0)) AS {{ name | identifier }}{{ loop | between }}
{% elif name in variants %}
CASE WHEN #{{ loop.index }} IS NOT NULL THEN CAST(#{{ loop.index }} AS JSON) END
    AS {{ name | identifier }}{{ loop | between }}
{% elif name in documents %}
to_json(#{{ loop.index }}) AS {{ name | identifier }}{{ loop | between }}
{% else %}
#{{ loop.index }} AS {{ name | identifier }}{{ loop | between }}
{% endif %}
{% endfor %}

-- name: variant_as_json
-- A VARIANT value as JSON.
-- parameter column: column, the values
CASE WHEN {{ column | identifier }} IS NOT NULL THEN CAST({{ column | identifier }} AS JSON) END

-- name: make_empty_copy
-- Creates a table without records that has the columns of a source.
--
-- definition: the statement that DuckDB gives for the table shows collations, which the name of a type does not
--
-- takes: source, names
-- parameter name: column, the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT *
FROM {{ source | relation }} AS opened({{ names | identifiers }})
LIMIT 0

-- name: table_statement
-- The statement that creates a temporary table.
-- parameter table: text, its name
SELECT sql FROM DUCKDB_TABLES() WHERE temporary AND table_name = {{ table | literal }}

-- name: by_characters
-- A text that is compared by its characters, without the collation of its column.
--
-- definition: its bytes, decoded as a text
--
-- parameter column: column, of texts
DECODE(ENCODE({{ column | identifier }}))

-- name: restored
-- Records with the original types of columns that were written as texts.
--
-- takes: source
-- parameter columns: columns, those of texts
-- parameter kinds: expressions, the type of each
(
    SELECT * REPLACE ({{ columns | each("CAST({x.identifier} AS {y.expression}) AS {x.identifier}", kinds) }})
    FROM {{ source | relation }}
)

-- name: long_sets
-- Number of values of a column that are long sets, such as "{a, b}".
--
-- takes: source
-- parameter column: column, of texts
-- parameter most: integer, characters above which a value is long
SELECT COUNT(*) AS cells
FROM {{ source | relation }}
WHERE LENGTH({{ column | identifier }}) > {{ most | literal }} AND {{ column | identifier }} LIKE '{' || '%' || '}'

-- name: text_sizes
-- Bytes of the texts of a column, and the number of long ones that are a set, a prefix or an interval of values.
--
-- takes: source
-- parameter column: column, of texts
-- parameter most: integer, characters above which a text is long
SELECT
    CAST(COALESCE(SUM(STRLEN({{ column | identifier }})), 0) AS BIGINT) AS bytes,
    COUNT(
        CASE
            WHEN LENGTH({{ column | identifier }}) > {{ most | literal }}
            AND REGEXP_MATCHES({{ column | identifier }}, '^[{].*[}]$|[*]$|^[][(].*[])[]$', 's') THEN 1
        END
    ) AS generalised
FROM {{ source | relation }}

-- name: count_prefixes
-- Number of distinct texts of several tables, and of their distinct prefixes of each length.
--
-- definition: texts are counted by their MD5 sums, which take 16 bytes each
--
-- parameter tables: expressions, the relation of each table
-- parameter columns: columns, the column of texts of each table
-- parameter lengths: integers, lengths of prefixes, in characters
SELECT
    COUNT(DISTINCT MD5_NUMBER(text)) AS texts,
    [{{ lengths | each("COUNT(DISTINCT MD5_NUMBER(LEFT(text, {x})))") }}] AS beginnings
FROM (
    {{ tables | each("SELECT {y.identifier} AS text FROM {x.expression} AS records", columns, between=" UNION ALL ") }}
) AS texts

-- name: count_records
-- Number of records.
--
-- runs: wide
--
-- parameter source: relation, the records, with a column c0
-- parameter most: integer or none, number of records at which to stop reading
SELECT COUNT(*) AS records
FROM (
    SELECT c0 FROM {{ source | relation }}
{% if most is not none %}
    LIMIT {{ most | literal }}
{% endif %}
)

-- name: count_unrestricted
-- Number of records of a source before a condition or a query selects some.
--
-- parameter source: relation, all records of the source
SELECT COUNT(*) AS records
FROM {{ source | relation }}

-- name: copy_records
-- Copies a relation into a private Parquet file, in order: a record is identified by its number.
-- takes: source
-- parameter path: text, the file
-- parameter selected: expression, the select list
-- parameter many_files: flag, the records come from many small files
-- parameter group_bytes: integer or none, size from which a row group is written, in bytes
COPY (
    SELECT {{ selected | expression }}
    FROM {{ source | relation }}
{% if many_files %}
    -- A sort keeps the order. Without one, each file is a batch, and the engine searches all batches whenever it
    -- combines some.
    ORDER BY ROW_NUMBER() OVER ()
{% endif %}
) TO {{ path | literal }} (
    FORMAT parquet,
{% if group_bytes is not none %}
    ROW_GROUP_SIZE_BYTES {{ group_bytes | literal }},
{% endif %}
    USE_TMP_FILE false,
    PRESERVE_ORDER true
)

-- name: hold_records
-- Creates a table of the records, in order: a record is identified by its number.
-- takes: source
-- parameter name: column, the table
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT * FROM {{ source | relation }} AS records
-- Otherwise each thread of the engine would append its part as soon as it is read.
ORDER BY ROW_NUMBER() OVER ()

-- name: open_view
-- Creates the view of a relation, with new names for its columns.
-- takes: source, names
-- parameter name: column, the view
-- parameter columns: columns or none, new names of the columns that the view has; none for all
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT {% if columns is none %}*{% else %}{{ columns | identifiers }}{% endif %}

FROM {{ source | relation }} AS opened({{ names | identifiers }})

-- name: try_condition
-- Evaluates a condition on one record of missing values: an error shows that the condition cannot be used.
-- takes: source, names
-- parameter where: expression, the condition
SELECT COUNT(*) AS records
FROM (
    SELECT opened.*
    FROM (SELECT 1) AS single
    LEFT JOIN (SELECT * FROM {{ source | relation }} LIMIT 0)
        AS opened({{ names | identifiers }})
    ON TRUE
) AS opened
WHERE ({{ where | expression }}
)
