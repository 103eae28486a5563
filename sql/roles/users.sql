-- users
-- Number of users, records of each, and columns that never change for a user.
--
-- definition: records grouped by user
-- source: duckrisk
-- missing: records without a user are counted apart. A column changes for a user if it is missing in some records and
--   present in others.
-- read: a column with no changing users describes the user (sex, country); the others describe events.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: column, the column of the person behind a record
-- parameter columns: columns, at most 32 columns
-- parameter missing_tokens: texts or none, that mean a missing value elsewhere; none for users of nested types
--
-- column position: INTEGER, position, the column's index among the given columns, from 0; -1 for the totals
-- column records: BIGINT, records, records that have a user
-- column without_user: BIGINT, records, records without a user
-- column records_of_token_users: BIGINT, records, of them those whose user is such a text, which counts as one person
-- column users: BIGINT, users, distinct users
-- column most_records: BIGINT, records, records of the user with the most
-- column changing_users: BIGINT, users, users with different values of the column; 0 for the totals
WITH opened AS (
    SELECT {{ user | identifier }} AS user_id{{ columns | each(", {x.identifier} AS a{n}", between="") }}

    FROM {{ source | relation }}
),
per_user AS (
    SELECT
        user_id,
        COUNT(*) AS records
{% for column in columns %}
        , CASE WHEN COUNT(a{{ loop.index }}) = 0 THEN 0
               WHEN COUNT(a{{ loop.index }}) < COUNT(*) OR MIN(a{{ loop.index }}) <> MAX(a{{ loop.index }}) THEN 1
               ELSE 0 END AS changing{{ loop.index }}
{% endfor %}
    FROM opened
    GROUP BY user_id
),
totals AS (
    SELECT
        CAST(COALESCE(SUM(CASE WHEN user_id IS NOT NULL THEN records ELSE 0 END), 0) AS BIGINT) AS records,
        CAST(COALESCE(SUM(CASE WHEN user_id IS NULL THEN records ELSE 0 END), 0) AS BIGINT) AS without_user,
        CAST({% if missing_tokens %}COALESCE(SUM(
            CASE WHEN user_id IS NOT NULL AND TRIM(CONCAT(user_id, '')) IN ({{ missing_tokens | literals }})
            THEN records ELSE 0 END
        ), 0){% else %}0{% endif %} AS BIGINT) AS records_of_token_users,
        COUNT(user_id) AS users,
        CAST(COALESCE(MAX(CASE WHEN user_id IS NOT NULL THEN records ELSE 0 END), 0) AS BIGINT) AS most_records
{% for column in columns %}
        , CAST(
            COALESCE(SUM(CASE WHEN user_id IS NOT NULL THEN changing{{ loop.index }} ELSE 0 END), 0) AS BIGINT
        ) AS changing{{ loop.index }}
{% endfor %}
    FROM per_user
)
SELECT
    CAST(-1 AS INTEGER) AS position,
    records,
    without_user,
    records_of_token_users,
    users,
    most_records,
    CAST(0 AS BIGINT) AS changing_users
FROM totals
{% for column in columns %}
UNION ALL
SELECT
    CAST({{ loop.index0 }} AS INTEGER),
    records,
    without_user,
    records_of_token_users,
    users,
    most_records,
    changing{{ loop.index }}
FROM totals
{% endfor %}
ORDER BY position
