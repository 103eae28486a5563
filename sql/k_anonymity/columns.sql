-- columns
-- The columns that can stay as they are while all others are left out.
--
-- idea: columns are added one by one, those of few values first, as long as few records are in small classes
-- source: our own
-- runs: finish
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers

-- name: distinct_of_columns
-- The number of distinct values of each column.
--
-- missing: a missing value is no value
--
-- takes: source, columns
SELECT [{{ columns | each("COUNT(DISTINCT {x.identifier})") }}] AS counts
FROM {{ source | relation }}

-- name: small_class_records
-- The records of classes of fewer than k records or people.
--
-- missing: a missing value is a value of its own; a record without a person belongs to nobody
--
-- takes: source, columns
-- parameter user: column or none, the person behind a record
-- parameter k: integer, the least records or people of a class
SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records
FROM (
    SELECT COUNT(*) AS n
    FROM {{ source | relation }}
    GROUP BY {{ columns | identifiers }}

    HAVING {% if user is none %}COUNT(*){% else %}COUNT(DISTINCT {{ user | identifier }}){% endif %} < {{ k }}
)
