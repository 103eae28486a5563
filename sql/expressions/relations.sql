-- relations
-- What follows FROM: files, renamed columns, queries, some of the records.
--
-- source: our own
-- runs: finish
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter arguments: options, the reader's named arguments
-- parameter source: relation, the records

-- name: read_parquet
-- The records of Parquet files as a relation.
-- takes: paths
-- parameter hive: text, whether the folders name columns (key=value)
read_parquet({{ paths | literal }}, hive_partitioning = {{ hive | literal }})

-- name: read_csv
-- The records of text files with separated values as a relation, every choice of the reader spelled out.
-- takes: paths, arguments
read_csv({{ paths | literal }}{{ arguments | options }})

-- name: csv_under_header
-- How a CSV file is written under a header of ours: the engine numbers names that differ in case.
-- parameter header: text, the first line with its end
-- parameter end: text, the end of the last line
FORMAT csv, HEADER false, PREFIX {{ header | literal }}, SUFFIX {{ end | literal }}

-- name: read_json
-- The records of JSON files as a relation.
-- takes: paths, arguments
read_json({{ paths | literal }}{{ arguments | options }})

-- name: qualified
-- A table by its full name as a relation.
--
-- parameter names: columns, the database, the schema and the table, as many as are known
{% for part in names %}{{ part | identifier }}{% if not loop.last %}.{% endif %}{% endfor %}

-- name: renamed
-- A relation with its columns renamed by position and its records restricted.
-- takes: source
-- parameter names: columns or none, one new name a column, none keeps them
-- parameter where: expression or none, a condition that the records must meet
(
    SELECT *
    FROM {{ source | relation }} AS opened{% if names is not none %}({% for column in names %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}){% endif %}

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
-- parameter attributes: attributes, what stands for the column that each is called by
(
    SELECT * REPLACE ({% for attribute in attributes %}{{ attribute | value }} AS {{ attribute.name | identifier }}{% if not loop.last %}, {% endif %}{% endfor %})
    FROM {{ source | relation }}
)

-- name: computed
-- The records with an expression for each column: the engine plans many columns faster than with REPLACE.
--
-- runs: wide
--
-- takes: source
-- parameter attributes: attributes, all columns, each by what it is called
(
    SELECT {% for attribute in attributes %}{{ attribute | value }} AS {{ attribute.name | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
)

-- name: queried
-- A query as a relation; it can read sources under their names.
-- parameter query: expression, one SELECT
-- parameter names: columns, what the query calls the sources
-- parameter sources: expressions, the records of each
(
{% for name in names %}
    {% if loop.first %}WITH {% else %}, {% endif %}{{ name | identifier }} AS (SELECT * FROM {{ sources[loop.index0] | expression }})
{% endfor %}
    SELECT * FROM ({{ query | expression }}
    )
)

-- name: known_cells
-- The cells that are looked at, the tokens for a missing one being missing.
--
-- runs: wide
--
-- takes: source
-- parameter attributes: attributes, the columns, their tokens being missing cells
-- parameter names: columns, what they are called
-- parameter user: column or none, of the record
(
    SELECT {% for attribute in attributes %}{{ attribute | value }} AS {{ names[loop.index0] | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}{% if user %}, {{ user | identifier }}{% endif %}

    FROM {{ source | relation }}
)

-- name: first_records
-- Some records of a relation, to refute a guess cheaply before it is checked on all of them.
--
-- runs: wide
--
-- takes: source
-- parameter most: integer, how many records
(SELECT * FROM {{ source | relation }} LIMIT {{ most | literal }})

-- name: no_records
-- No record, with columns of these types.
-- parameter kinds: expressions, the types
(SELECT {% for kind in kinds %}CAST(NULL AS {{ kind | expression }}){% if not loop.last %}, {% endif %}{% endfor %} WHERE FALSE)

-- name: numbered_range
-- So many records without anything but their numbers, from 0.
-- parameter records: integer, how many
(SELECT range AS record FROM RANGE({{ records }}))
