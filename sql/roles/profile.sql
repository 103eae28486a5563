-- profile
-- Profile of each column, in one pass: missing values, number of values, and kind of text.
--
-- definition: counts over the records; distinct values are estimated (HyperLogLog), which is enough to choose what is
--   counted exactly
-- source: duckrisk
-- missing: NULL is missing; every other value counts.
-- read: a column whose distinct_values is near records distinguishes the records by itself.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 32 columns
-- parameter texts: columns, those of the columns that hold text
-- parameter nested: columns, those that hold several values each
-- parameter bytes: columns, those that hold bytes
-- parameter numbers: columns, those that hold numbers
-- parameter integers: columns, those of the numbers that are whole by their type
--
-- column position: INTEGER, position, the column's index among the given columns, from 0
-- column records: BIGINT, records, all records
-- column present: BIGINT, records, records that have a value
-- column missing: BIGINT, records, records that have none
-- column distinct_values: BIGINT, values, estimated number of distinct values
-- column constant: BOOLEAN, truth, whether all present values are equal
-- column mean_length: DOUBLE, characters, mean length of a text, or of the values of a set {a, b}; NULL for others
-- column longest: BIGINT, characters, longest text or bytes; of several values as they are written
-- column with_blanks: BIGINT, records, texts of four words or more, or with the stop or the comma of Japanese, that are
--   no sets and no intervals
-- column moments: BIGINT, records, texts that read as a date with a time
-- column with_at: BIGINT, records, texts that hold what looks like an e-mail address, also in a set or a list
-- column with_fields: BIGINT, records, texts that hold fields with names of their own, as JSON does
-- column lowest: DOUBLE, value, the lowest number, NULL for other types
-- column highest: DOUBLE, value, the highest number, NULL for other types
-- column fractions: BIGINT, records, numbers that are not whole
WITH opened AS (
    SELECT {{ columns | each("{x.identifier} AS a{n}") }}

    FROM {{ source | relation }}
),
counted AS (
    SELECT
        COUNT(*) AS records
{% for column in columns %}
        , COUNT(a{{ loop.index }}) AS present{{ loop.index }}
        , CAST(APPROX_COUNT_DISTINCT(a{{ loop.index }}) AS BIGINT) AS distinct{{ loop.index }}
        , MIN(a{{ loop.index }}) IS NOT DISTINCT FROM MAX(a{{ loop.index }}) AS constant{{ loop.index }}
{% if column in texts %}
        -- A set {a, b}, as releases have them, is several values, and no prose if these are short. JSON is no set. An
        -- interval of numbers or moments is no prose either: it has no letters.
        , CAST(SUM(LENGTH(a{{ loop.index }})) AS DOUBLE) / NULLIF(COUNT(a{{ loop.index }}) + COALESCE(SUM(
            CASE WHEN a{{ loop.index }} LIKE '{' || '%, %}' AND a{{ loop.index }} NOT LIKE '%"%:%'
                THEN LENGTH(a{{ loop.index }}) - LENGTH(REPLACE(a{{ loop.index }}, ',', '')) END
        ), 0), 0) AS length{{ loop.index }}
        , MAX(LENGTH(a{{ loop.index }})) AS longest{{ loop.index }}
        , COUNT(CASE WHEN (
            a{{ loop.index }} LIKE '% % % %' OR a{{ loop.index }} LIKE '%' || CHR(12290) || '%'
            OR a{{ loop.index }} LIKE '%' || CHR(12289) || '%'
        ) AND NOT (
            a{{ loop.index }} LIKE '{' || '%, %}' AND a{{ loop.index }} NOT LIKE '%"%:%'
            AND LENGTH(a{{ loop.index }}) < 40 * (1 + LENGTH(a{{ loop.index }})
                - LENGTH(REPLACE(a{{ loop.index }}, ',', '')))
            OR (a{{ loop.index }} LIKE '[%, %]' AND LOWER(a{{ loop.index }}) = UPPER(a{{ loop.index }}))
        ) THEN 1 END) AS blanks{{ loop.index }}
        , COUNT(CASE WHEN LENGTH(a{{ loop.index }}) < 1000 THEN
            CASE WHEN LENGTH(TRIM(a{{ loop.index }})) >= 16 THEN TRY_CAST(a{{ loop.index }} AS TIMESTAMP) END
        END) AS moments{{ loop.index }}
        , COUNT(CASE WHEN a{{ loop.index }} LIKE '%_@_%.__%' THEN 1 END) AS at{{ loop.index }}
        , COUNT(CASE
            WHEN a{{ loop.index }} LIKE '{' || '%"%:%}' OR a{{ loop.index }} LIKE '{' || '%''%:%}'
                OR a{{ loop.index }} LIKE '[{' || '%:%}]' THEN 1
        END) AS fields{{ loop.index }}
{% else %}
        , CAST(NULL AS DOUBLE) AS length{{ loop.index }}
{% if column in nested %}
        , MAX(LENGTH(CAST(a{{ loop.index }} AS STRING))) AS longest{{ loop.index }}
{% elif column in bytes %}
        , MAX(OCTET_LENGTH(CAST(a{{ loop.index }} AS BLOB))) AS longest{{ loop.index }}
{% else %}
        , CAST(NULL AS BIGINT) AS longest{{ loop.index }}
{% endif %}
        , CAST(0 AS BIGINT) AS blanks{{ loop.index }}
        , CAST(0 AS BIGINT) AS moments{{ loop.index }}
{% if column in nested %}
        , COUNT(CASE WHEN CAST(a{{ loop.index }} AS STRING) LIKE '%_@_%.__%' THEN 1 END) AS at{{ loop.index }}
{% else %}
        , CAST(0 AS BIGINT) AS at{{ loop.index }}
{% endif %}
        , CAST(0 AS BIGINT) AS fields{{ loop.index }}
{% endif %}
{% if column in numbers %}
        , CAST(MIN(a{{ loop.index }}) AS DOUBLE) AS lowest{{ loop.index }}
        , CAST(MAX(a{{ loop.index }}) AS DOUBLE) AS highest{{ loop.index }}
{% else %}
        , CAST(NULL AS DOUBLE) AS lowest{{ loop.index }}
        , CAST(NULL AS DOUBLE) AS highest{{ loop.index }}
{% endif %}
{% if column in numbers and column not in integers %}
        , COUNT(
            CASE WHEN CAST(a{{ loop.index }} AS DOUBLE) <> FLOOR(CAST(a{{ loop.index }} AS DOUBLE)) THEN 1 END
        ) AS fractions{{ loop.index }}
{% else %}
        , CAST(0 AS BIGINT) AS fractions{{ loop.index }}
{% endif %}
{% endfor %}
    FROM opened
)
-- Lists: the engine plans a SELECT for each column, or a CASE of positions, longer than it takes for all else.
SELECT
    CAST(UNNEST(RANGE({{ columns | length }})) AS INTEGER) AS position,
    records,
    UNNEST([{{ columns | each("present{n}") }}]) AS present,
    UNNEST([{{ columns | each("records - present{n}") }}]) AS missing,
    UNNEST([{{ columns | each("distinct{n}") }}]) AS distinct_values,
    UNNEST([{{ columns | each("constant{n}") }}]) AS constant,
    UNNEST([{{ columns | each("length{n}") }}]) AS mean_length,
    UNNEST([{{ columns | each("longest{n}") }}]) AS longest,
    UNNEST([{{ columns | each("blanks{n}") }}]) AS with_blanks,
    UNNEST([{{ columns | each("moments{n}") }}]) AS moments,
    UNNEST([{{ columns | each("at{n}") }}]) AS with_at,
    UNNEST([{{ columns | each("fields{n}") }}]) AS with_fields,
    UNNEST([{{ columns | each("lowest{n}") }}]) AS lowest,
    UNNEST([{{ columns | each("highest{n}") }}]) AS highest,
    UNNEST([{{ columns | each("fractions{n}") }}]) AS fractions
FROM counted
ORDER BY position
