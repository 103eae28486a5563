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
        , {% if column in texts %}COUNT(CASE WHEN LENGTH(a{{ loop.index }}) < 1000 THEN CASE WHEN LENGTH(TRIM(a{{ loop.index }})) >= 16 THEN TRY_CAST(a{{ loop.index }} AS TIMESTAMP) END END){% else %}CAST(0 AS BIGINT){% endif %} AS moments{{ loop.index }}
        , {% if column in texts %}COUNT(CASE WHEN a{{ loop.index }} LIKE '%_@_%.__%' THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS at{{ loop.index }}
        , {% if column in numbers %}CAST(MIN(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %} AS lowest{{ loop.index }}
        , {% if column in numbers %}CAST(MAX(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %} AS highest{{ loop.index }}
        , {% if column in numbers %}COUNT(CASE WHEN CAST(a{{ loop.index }} AS DOUBLE) <> FLOOR(CAST(a{{ loop.index }} AS DOUBLE)) THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS fractions{{ loop.index }}
{% endfor %}
    FROM opened
)
-- One row a column, from lists: a SELECT for each, or a CASE of their places, takes the engine longer to plan than all
-- else takes.
SELECT
    CAST(UNNEST(RANGE({{ columns | length }})) AS INTEGER) AS position,
    records,
    UNNEST([{% for column in columns %}present{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS present,
    UNNEST([{% for column in columns %}records - present{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS missing,
    UNNEST([{% for column in columns %}distinct{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS distinct_values,
    UNNEST([{% for column in columns %}constant{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS constant,
    UNNEST([{% for column in columns %}length{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS mean_length,
    UNNEST([{% for column in columns %}longest{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS longest,
    UNNEST([{% for column in columns %}blanks{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS with_blanks,
    UNNEST([{% for column in columns %}moments{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS moments,
    UNNEST([{% for column in columns %}at{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS with_at,
    UNNEST([{% for column in columns %}lowest{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS lowest,
    UNNEST([{% for column in columns %}highest{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS highest,
    UNNEST([{% for column in columns %}fractions{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS fractions
FROM counted
ORDER BY position
