-- profile
-- What each column holds, in one pass: how much is missing, how many values, what kind of text.
--
-- definition: counts over the records; distinct values are estimated (HyperLogLog), which is enough to
--   choose what is counted exactly.
-- source: duckrisk
-- missing: NULL is missing; every other value counts.
-- read: a column whose distinct_values is near records tells the records apart by itself.
-- portable: yes
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
        , APPROX_COUNT_DISTINCT(a{{ loop.index }}) AS distinct{{ loop.index }}
        , MIN(a{{ loop.index }}) IS NOT DISTINCT FROM MAX(a{{ loop.index }}) AS constant{{ loop.index }}
{% if column in texts %}
        , CAST(SUM(LENGTH(a{{ loop.index }})) AS DOUBLE) / NULLIF(COUNT(a{{ loop.index }}), 0) AS length{{ loop.index }}
        , MAX(LENGTH(a{{ loop.index }})) AS longest{{ loop.index }}
        , SUM(CASE WHEN a{{ loop.index }} LIKE '% % % %' OR a{{ loop.index }} LIKE '%' || CHR(12290) || '%' OR a{{ loop.index }} LIKE '%' || CHR(12289) || '%' THEN 1 ELSE 0 END) AS blanks{{ loop.index }}
        , SUM(CASE WHEN LENGTH(TRIM(a{{ loop.index }})) >= 16 AND TRY_CAST(a{{ loop.index }} AS TIMESTAMP) IS NOT NULL THEN 1 ELSE 0 END) AS moments{{ loop.index }}
        , SUM(CASE WHEN a{{ loop.index }} LIKE '%_@_%.__%' THEN 1 ELSE 0 END) AS at{{ loop.index }}
{% elif column in numbers %}
        , CAST(MIN(a{{ loop.index }}) AS DOUBLE) AS lowest{{ loop.index }}
        , CAST(MAX(a{{ loop.index }}) AS DOUBLE) AS highest{{ loop.index }}
        , SUM(CASE WHEN a{{ loop.index }} <> FLOOR(a{{ loop.index }}) THEN 1 ELSE 0 END) AS fractions{{ loop.index }}
{% elif column in nested %}
        , MAX(LENGTH(CAST(a{{ loop.index }} AS STRING))) AS longest{{ loop.index }}
{% elif column in bytes %}
        , MAX(OCTET_LENGTH(CAST(a{{ loop.index }} AS BLOB))) AS longest{{ loop.index }}
{% endif %}
{% endfor %}
    FROM opened
)
{% for column in columns %}
SELECT
    CAST({{ loop.index0 }} AS INTEGER) AS position,
    records,
    present{{ loop.index }} AS present,
    CAST(distinct{{ loop.index }} AS BIGINT) AS distinct_values,
    constant{{ loop.index }} AS constant,
{% if column in texts %}
    length{{ loop.index }} AS mean_length,
    longest{{ loop.index }} AS longest,
    CAST(COALESCE(blanks{{ loop.index }}, 0) AS BIGINT) AS with_blanks,
    CAST(COALESCE(moments{{ loop.index }}, 0) AS BIGINT) AS moments,
    CAST(COALESCE(at{{ loop.index }}, 0) AS BIGINT) AS with_at,
{% else %}
    CAST(NULL AS DOUBLE) AS mean_length,
    {% if column in nested %}longest{{ loop.index }}{% elif column in bytes %}longest{{ loop.index }}{% else %}CAST(NULL AS BIGINT){% endif %} AS longest,
    CAST(0 AS BIGINT) AS with_blanks,
    CAST(0 AS BIGINT) AS moments,
    CAST(0 AS BIGINT) AS with_at,
{% endif %}
    {% if column in numbers %}lowest{{ loop.index }}{% else %}CAST(NULL AS DOUBLE){% endif %} AS lowest,
    {% if column in numbers %}highest{{ loop.index }}{% else %}CAST(NULL AS DOUBLE){% endif %} AS highest,
    CAST({% if column in numbers %}COALESCE(fractions{{ loop.index }}, 0){% else %}0{% endif %} AS BIGINT) AS fractions
FROM counted
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position
