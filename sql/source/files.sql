-- files
-- Opens files: those that a pattern matches, the dialect of their texts, and columns that reading would change.
--
-- source: our own
-- runs: finish
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter path: text, the file, glob characters escaped

-- name: glob_files
-- Files that match patterns.
-- parameter patterns: texts, paths with glob characters
SELECT file
FROM glob({{ patterns | literal }})
ORDER BY file

-- name: parquet_records
-- The records of a Parquet file, by its footer.
-- takes: path
SELECT CAST(SUM(num_rows) AS BIGINT) AS records
FROM parquet_file_metadata({{ path | literal }})

-- name: sniff_csv
-- Dialect and columns that DuckDB detects in a CSV file.
-- takes: path
-- parameter arguments: options, known parts of the dialect, and the size of the sample
SELECT
    Delimiter AS "delimiter",
    Quote AS "quote",
    Escape AS "escape",
    SkipRows AS "skipped",
    HasHeader AS "header",
    Columns AS "columns",
    DateFormat AS "date_format",
    TimestampFormat AS "timestamp_format"
FROM sniff_csv({{ path | literal }}{{ arguments | options }})

-- name: first_record
-- First record of a relation whose records are in order.
-- parameter source: relation, the records
SELECT * FROM {{ source | relation }} LIMIT 1

-- name: lossy_columns
-- Text columns whose different values become equal as numbers or moments.
--
-- definition: DOUBLE keeps 15 digits of an integer and 17 of a fraction, times keep microseconds, and a format of dates
--   reads infinity and the epoch as one day
--
-- parameter source: relation, the records, all columns as text
-- parameter numbers: columns, to be read as DOUBLE
-- parameter moments: columns, to be read as a date, a time or a timestamp
-- parameter formatted: columns, those of the moments that are read by a format
-- parameter most: integer or none, number of first records that are examined; none for all
SELECT
{% for column in numbers %}
    BOOL_OR(
        REGEXP_MATCHES({{ column | identifier }}, '^\s*[-+]?0*[1-9][0-9]{15,}\s*$')
        OR LENGTH(LTRIM(
            REGEXP_REPLACE(SPLIT_PART(LOWER({{ column | identifier }}), 'e', 1), '[^0-9]', '', 'g'), '0'
        )) > 17
    ) AS {{ column | identifier }}{% if moments or not loop.last %},{% endif %}

{% endfor %}
{% for column in moments %}
    BOOL_OR(REGEXP_MATCHES(
        {{ column | identifier }},
{% if column in formatted %}
        '[.][0-9]{6}0*[1-9]|(?i:^\s*(-?infinity|epoch)\s*$)'
{% else %}
        '[.][0-9]{6}0*[1-9]'
{% endif %}
    )) AS {{ column | identifier }}{{ loop | between }}
{% endfor %}
FROM (
{% if most is not none %}
    -- Numbered, the first records are the same in every run.
    SELECT * FROM (SELECT *, ROW_NUMBER() OVER () AS record_number FROM {{ source | relation }})
    WHERE record_number <= {{ most | literal }}
    LIMIT {{ most | literal }}
{% else %}
    SELECT * FROM {{ source | relation }}
{% endif %}
)

-- name: epoch_days
-- Number of values of each column on the day that a format reads from infinity and the epoch.
-- parameter source: relation, the records
-- parameter columns: columns, of dates or timestamps
SELECT {{ columns | each("COUNT(CASE WHEN {x.identifier} = DATE '1900-01-01' THEN 1 END) AS {x.identifier}") }}
FROM {{ source | relation }}

-- name: infinite_texts
-- Number of values of each column that are written as infinity or the epoch.
-- parameter source: relation, the records, all columns as text
-- parameter columns: columns, of dates or timestamps
SELECT
{% for column in columns %}
    COUNT(CASE WHEN REGEXP_MATCHES(
        LOWER(CAST({{ column | identifier }} AS VARCHAR)), '^\s*(-?infinity|epoch)\s*$'
    ) THEN 1 END) AS {{ column | identifier }}{{ loop | between }}
{% endfor %}
FROM {{ source | relation }}

-- name: json_keys
-- Keys of the objects in JSON files, as they are written.
-- takes: paths
-- parameter arguments: options, named arguments of the reader
SELECT DISTINCT key
FROM (
    SELECT UNNEST(json_keys(json)) AS key
    FROM read_json_objects({{ paths | literal }}{{ arguments | options }})
)
ORDER BY key

-- name: parquet_layouts
-- Layouts (columns with their types) of Parquet files.
-- takes: paths
SELECT layout, MIN(file_name) AS first_file, COUNT(*) AS files
FROM (
    SELECT
        file_name,
        LIST(
            STRUCT_PACK(name, num_children, type, type_length, converted_type, scale, precision, logical_type)
            ORDER BY position
        ) AS layout
    FROM (
        SELECT *, ROW_NUMBER() OVER () AS position
        FROM parquet_schema({{ paths | literal }})
    )
    GROUP BY file_name
)
GROUP BY layout
ORDER BY files DESC, first_file
