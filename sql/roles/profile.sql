-- profile
-- What each column holds, in one pass: how much is missing, how many values, what kind of text.
--
-- definition: counts over the records; distinct values are estimated (HyperLogLog), which is enough to
--   choose what is counted exactly.
-- source: duckrisk
-- missing: NULL is missing; every other value counts.
-- read: a column whose distinct_values is near records tells the records apart by itself.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 32 columns
-- parameter texts: columns, those of the columns that hold text
-- parameter nested: columns, those that hold several values each
-- parameter bytes: columns, those that hold bytes
-- parameter numbers: columns, those that hold numbers
--
-- column position: INTEGER, position, the column's place among the given columns, from 0
-- column records: BIGINT, records, all records
-- column present: BIGINT, records, records that have a value
-- column missing: BIGINT, records, records that have none
-- column distinct_values: BIGINT, values, estimated number of distinct values
-- column constant: BOOLEAN, truth, whether all present values are equal
-- column mean_length: DOUBLE, characters, mean length of a text, NULL for other types
-- column longest: BIGINT, characters, longest text or bytes; of several values as they are written
-- column with_blanks: BIGINT, records, texts of four words or more, or with the stop or the comma of Japanese
-- column moments: BIGINT, records, texts that read as a date with a time
-- column with_at: BIGINT, records, texts that look like an e-mail address
-- column lowest: DOUBLE, value, the lowest number, NULL for other types
-- column highest: DOUBLE, value, the highest number, NULL for other types
-- column fractions: BIGINT, records, numbers that are not whole
WITH opened AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
),
counted AS (
    SELECT
        COUNT(*) AS records
{% for column in columns %}
        , COUNT(a{{ loop.index }}) AS present{{ loop.index }}
        , CAST(APPROX_COUNT_DISTINCT(a{{ loop.index }}) AS BIGINT) AS distinct{{ loop.index }}
        , MIN(a{{ loop.index }}) IS NOT DISTINCT FROM MAX(a{{ loop.index }}) AS constant{{ loop.index }}
        , {% if column in texts %}CAST(SUM(LENGTH(a{{ loop.index }})) AS DOUBLE) / NULLIF(COUNT(a{{ loop.index }}), 0){% else %}CAST(NULL AS DOUBLE){% endif %} AS length{{ loop.index }}
        , {% if column in texts %}MAX(LENGTH(a{{ loop.index }})){% elif column in nested %}MAX(LENGTH(CAST(a{{ loop.index }} AS STRING))){% elif column in bytes %}MAX(OCTET_LENGTH(CAST(a{{ loop.index }} AS BLOB))){% else %}CAST(NULL AS BIGINT){% endif %} AS longest{{ loop.index }}
        , {% if column in texts %}COUNT(CASE WHEN a{{ loop.index }} LIKE '% % % %' OR a{{ loop.index }} LIKE '%' || CHR(12290) || '%' OR a{{ loop.index }} LIKE '%' || CHR(12289) || '%' THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS blanks{{ loop.index }}
        , {% if column in texts %}COUNT(CASE WHEN LENGTH(TRIM(a{{ loop.index }})) >= 16 AND TRY_CAST(a{{ loop.index }} AS TIMESTAMP) IS NOT NULL THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS moments{{ loop.index }}
        , {% if column in texts %}COUNT(CASE WHEN a{{ loop.index }} LIKE '%_@_%.__%' THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS at{{ loop.index }}
        , {% if column in numbers %}CAST(MIN(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %} AS lowest{{ loop.index }}
        , {% if column in numbers %}CAST(MAX(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %} AS highest{{ loop.index }}
        , {% if column in numbers %}COUNT(CASE WHEN CAST(a{{ loop.index }} AS DOUBLE) <> FLOOR(CAST(a{{ loop.index }} AS DOUBLE)) THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS fractions{{ loop.index }}
{% endfor %}
    FROM opened
)
-- One row a column by its place: a SELECT for each takes the engine longer to plan than all else takes.
SELECT
    positions.position,
    records,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN present{{ loop.index }}{% endfor %} END AS present,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN records - present{{ loop.index }}{% endfor %} END AS missing,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN distinct{{ loop.index }}{% endfor %} END AS distinct_values,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN constant{{ loop.index }}{% endfor %} END AS constant,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN length{{ loop.index }}{% endfor %} END AS mean_length,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN longest{{ loop.index }}{% endfor %} END AS longest,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN blanks{{ loop.index }}{% endfor %} END AS with_blanks,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN moments{{ loop.index }}{% endfor %} END AS moments,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN at{{ loop.index }}{% endfor %} END AS with_at,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN lowest{{ loop.index }}{% endfor %} END AS lowest,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN highest{{ loop.index }}{% endfor %} END AS highest,
    CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN fractions{{ loop.index }}{% endfor %} END AS fractions
FROM counted
CROSS JOIN (VALUES {% for column in columns %}({{ loop.index0 }}){% if not loop.last %}, {% endif %}{% endfor %}) AS positions (position)
ORDER BY positions.position
