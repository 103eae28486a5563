-- relations
-- Relations to select from: files, renamed columns, queries, some of the records.
--
-- source: our own
-- runs: finish
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter arguments: options, named arguments of the reader
-- parameter source: relation, the records

-- name: read_parquet
-- The records of Parquet files.
-- takes: paths
-- parameter hive: text, whether the folders name columns (key=value)
read_parquet({{ paths | literal }}, hive_partitioning = {{ hive | literal }})

-- name: read_csv
-- The records of CSV files; the arguments state every choice of the reader.
-- takes: paths, arguments
read_csv({{ paths | literal }}{{ arguments | options }})

-- name: csv_under_header
-- Options to write a CSV file with a given header: the engine would number names that differ only in case.
-- parameter header: text, the first line with its end
-- parameter end: text, the end of the last line
FORMAT csv, HEADER false, PREFIX {{ header | literal }}, SUFFIX {{ end | literal }}

-- name: read_json
-- The records of JSON files.
-- takes: paths, arguments
read_json({{ paths | literal }}{{ arguments | options }})

-- name: qualified
-- A table by its full name.
--
-- parameter names: columns, the database, the schema and the table, or the last of these
{{ names | each("{x.identifier}", between=".") }}

-- name: renamed
-- A relation with new names for its columns, or with a condition on its records.
-- takes: source
-- parameter names: columns or none, new names of the columns, in order; none keeps them
-- parameter where: expression or none, the condition
(
    SELECT *
    FROM {{ source | relation }} AS opened{% if names is not none %}({{ names | identifiers }}){% endif %}

{% if where is not none %}
    WHERE ({{ where | expression }}
    )
{% endif %}
)

-- name: replaced
-- The records with other expressions for some columns.
--
-- runs: wide
--
-- takes: source
-- parameter attributes: attributes, the expressions, each under the name of its column
(
    SELECT * REPLACE (
{% for attribute in attributes %}
        {{ attribute | value }} AS {{ attribute.name | identifier }}{{ loop | between }}
{% endfor %}
    )
    FROM {{ source | relation }}
)

-- name: computed
-- The records with an expression for each column; the engine plans many columns faster than with REPLACE.
--
-- runs: wide
--
-- takes: source
-- parameter attributes: attributes, the expressions of all columns, each under the name of its column
(
    SELECT
{% for attribute in attributes %}
        {{ attribute | value }} AS {{ attribute.name | identifier }}{{ loop | between }}
{% endfor %}
    FROM {{ source | relation }}
)

-- name: queried
-- The result of a query that can read sources by their names.
-- parameter query: expression, one SELECT
-- parameter names: columns, the names of the sources
-- parameter sources: expressions, the records of each
(
{% if names %}
    WITH {{ names | each("{x.identifier} AS (SELECT * FROM {y.expression})", sources) }}
{% endif %}
    SELECT * FROM ({{ query | expression }}
    )
)

-- name: known_cells
-- The values of columns, with missing tokens as missing values.
--
-- runs: wide
--
-- takes: source
-- parameter attributes: attributes, the columns with their missing tokens
-- parameter names: columns, the names of the results
-- parameter user: column or none, of the record
(
    SELECT
{% for attribute in attributes %}
        {{ attribute | value }} AS {{ names[loop.index0] | identifier }}{% if user or not loop.last %},{% endif %}

{% endfor %}
{% if user %}
        {{ user | identifier }}
{% endif %}
    FROM {{ source | relation }}
)

-- name: first_records
-- Some records of a relation, to reject a guess before all records are examined.
--
-- runs: wide
--
-- takes: source
-- parameter most: integer, number of records
(SELECT * FROM {{ source | relation }} LIMIT {{ most | literal }})

-- name: varied_records
-- A record for each value that columns have in the first records of a relation.
--
-- definition: a guess that rare records reject is not rejected by the first ones
--
-- takes: source
-- parameter columns: columns, those whose values are shown
-- parameter most: integer, number of first records
(
    SELECT UNNEST(shown)
    FROM (
        SELECT ANY_VALUE(first_records) AS shown
        FROM (SELECT * FROM {{ source | relation }} LIMIT {{ most | literal }}) AS first_records
        GROUP BY GROUPING SETS ({{ columns | each("(first_records.{x.identifier})") }})
    ) AS shown_records
)

-- name: no_records
-- A relation without records, with columns of given types.
-- parameter kinds: expressions, the types
(SELECT {{ kinds | each("CAST(NULL AS {x.expression})") }} WHERE FALSE)

-- name: numbered_range
-- Records with only their numbers, from 0.
-- parameter records: integer, number of records
(SELECT range AS record FROM RANGE({{ records }}))
