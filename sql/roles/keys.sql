-- keys
-- Evidence for keys of persons: columns that agree within the values of a key, and runs of its values in the file.
--
-- idea: a nearly constant column agrees within the values of any key, but between neighbouring values as well. In the
--   order of digests, neighbours have nothing else in common.
-- source: functional dependency (Codd); the comparison with neighbours is our own
-- runs: wide
--
-- parameter source: relation, the records

-- name: key_dependents
-- Number of values of each key within which a column changes, and of neighbouring values between which it does.
--
-- takes: source
-- parameter keys: columns, keys of one column, or the second columns of keys of two
-- parameter groups: columns or none, the first columns of keys of two, one for each of `keys`
-- parameter columns: columns, at most 32 columns
-- parameter ages: columns, those of the columns that are ages in years
-- parameter years: integer, years, by which ages of one person differ at most
WITH opened AS (
    SELECT
        {{ keys | each("{x.identifier} AS k{n}") }},
{% if groups %}
        {{ groups | each("{x.identifier} AS g{n}") }},
{% endif %}
        {{ columns | each("{x.identifier} AS a{n}") }}
    FROM {{ source | relation }}
),
grouped AS (
    SELECT
        CASE
{% for key in keys %}
            WHEN GROUPING(k{{ loop.index }}) = 0{% if groups %} AND GROUPING(g{{ loop.index }}) = 0{% endif %} THEN
                {{ loop.index0 }}
{% endfor %}
        END AS key,
        CASE
{% for key in keys %}
{% if groups %}
            WHEN GROUPING(k{{ loop.index }}) = 0 AND GROUPING(g{{ loop.index }}) = 0 THEN
                CASE WHEN g{{ loop.index }} IS NOT NULL AND k{{ loop.index }} IS NOT NULL THEN
                    MD5(CONCAT(g{{ loop.index }}, '/', k{{ loop.index }}, '/'))
                END
{% else %}
            WHEN k{{ loop.index }} IS NOT NULL THEN MD5(CONCAT(k{{ loop.index }}, '/'))
{% endif %}
{% endfor %}
        END AS digest,
        COUNT(*) AS records,
        {{ columns | each("MIN(a{n}) AS lowest{n}, MAX(a{n}) AS highest{n}") }}
    FROM opened
{% if groups %}
    GROUP BY GROUPING SETS ({{ keys | each("(g{n}, k{n})") }})
{% else %}
    GROUP BY GROUPING SETS ({{ keys | each("(k{n})") }})
{% endif %}
),
by_value AS (
    SELECT * FROM grouped WHERE digest IS NOT NULL
),
compared AS (
    SELECT
        key,
        records
{% for column in columns %}
        , CASE WHEN {% if column in ages %}
            highest{{ loop.index }} - lowest{{ loop.index }} > {{ years | literal }}
{% else %}
            lowest{{ loop.index }} <> highest{{ loop.index }}
{% endif %}
        THEN 1 ELSE 0 END AS changing{{ loop.index }}
        , CASE WHEN lowest{{ loop.index }} <> LAG(lowest{{ loop.index }}) OVER neighbours THEN 1 ELSE 0 END
            AS differing{{ loop.index }}
{% endfor %}
    FROM by_value
    WHERE records > 1
    WINDOW neighbours AS (PARTITION BY key ORDER BY digest)
),
values_of_keys AS (
    SELECT key, COUNT(*) AS key_values, SUM(records) AS records
    FROM by_value
    GROUP BY key
),
repeated_values AS (
    SELECT
        key,
        MAX(records) AS most,
        COUNT(*) AS repeated,
        {{ columns | each("SUM(changing{n}) AS changing{n}, SUM(differing{n}) AS differing{n}") }}
    FROM compared
    GROUP BY key
)
SELECT
    every_key.key,
    positions.position,
    CAST(COALESCE(key_values, 0) AS BIGINT) AS key_values,
    CAST(COALESCE(repeated, 0) AS BIGINT) AS repeated,
    CAST(COALESCE(records, 0) AS BIGINT) AS records,
    CAST(COALESCE(most, 0) AS BIGINT) AS most,
    CAST(
        COALESCE(CASE positions.position {{ columns | each("WHEN {i} THEN changing{n}", between=" ") }} END, 0)
        AS BIGINT
    ) AS changing,
    CAST(
        COALESCE(CASE positions.position {{ columns | each("WHEN {i} THEN differing{n}", between=" ") }} END, 0)
        AS BIGINT
    ) AS differing
FROM (VALUES {{ keys | each("({i})") }}) AS every_key (key)
LEFT JOIN values_of_keys ON values_of_keys.key = every_key.key
LEFT JOIN repeated_values ON repeated_values.key = every_key.key
CROSS JOIN (VALUES {{ columns | each("({i})") }}) AS positions (position)
ORDER BY every_key.key, positions.position

-- name: changing_columns
-- Whether each column has two values for one of some users, in which case it need not be counted.
--
-- takes: source
-- parameter user: column, the key
-- parameter columns: columns, any number
-- parameter sample_size: integer, users with several records that are examined
WITH opened AS (
    SELECT {{ user | identifier }} AS user_id{{ columns | each(", {x.identifier} AS a{n}", between="") }}

    FROM {{ source | relation }}
),
several AS (
    SELECT user_id
    FROM opened
    WHERE user_id IS NOT NULL
    GROUP BY user_id
    HAVING COUNT(*) > 1
    ORDER BY user_id
    LIMIT {{ sample_size | literal }}
),
by_value AS (
    SELECT {{ columns | each("MIN(a{n}) <> MAX(a{n}) AS changing{n}") }}

    FROM opened
    WHERE user_id IN (SELECT user_id FROM several)
    GROUP BY user_id
),
totals AS (
    SELECT {{ columns | each("BOOL_OR(changing{n}) AS changing{n}") }}

    FROM by_value
)
SELECT
    UNNEST(RANGE({{ columns | length }})) AS position,
    UNNEST([{{ columns | each("COALESCE(changing{n}, FALSE)") }}]) AS changing
FROM totals
ORDER BY position

-- name: key_runs
-- Number of values of each column in the first records, and of runs of one value.
--
-- takes: source
-- parameter columns: columns, at most 32 columns
WITH numbered AS (
    SELECT ROW_NUMBER() OVER () AS number{{ columns | each(", {x.identifier} AS a{n}", between="") }}

    FROM {{ source | relation }}
),
changes AS (
    SELECT
        number
{% for column in columns %}
        , a{{ loop.index }}
        , CASE WHEN a{{ loop.index }} IS DISTINCT FROM LAG(a{{ loop.index }}) OVER (ORDER BY number) THEN 1 ELSE 0 END
            AS changed{{ loop.index }}
{% endfor %}
    FROM numbered
)
{% for column in columns %}
SELECT
    CAST({{ loop.index0 }} AS INTEGER) AS position,
    COUNT(DISTINCT a{{ loop.index }}) AS key_values,
    CAST(SUM(changed{{ loop.index }}) AS BIGINT) AS runs
FROM changes
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position

-- name: exact_values
-- Exact number of records with a value and of distinct values of each column; no row without records.
--
-- takes: source
-- parameter columns: columns, at most 32 columns of one type
SELECT position, COUNT(cell) AS present, COUNT(DISTINCT cell) AS distinct_values
FROM (
    -- Columns below each other: a COUNT(DISTINCT) for each column takes three times as long.
    SELECT
        positions.position,
        CASE positions.position{{ columns | each(" WHEN {i} THEN {x.identifier}", between="") }} END AS cell
    FROM {{ source | relation }}
    CROSS JOIN (VALUES {{ columns | each("(CAST({i} AS INTEGER))") }}) AS positions (position)
) AS cells
GROUP BY position
ORDER BY position

-- name: group_sizes
-- Sizes of the groups of equal records, with the number of groups of each size.
--
-- takes: source
-- parameter columns: columns, by which records are equal
SELECT records, COUNT(*) AS groups
FROM (
    SELECT COUNT(*) AS records
    FROM {{ source | relation }}
    GROUP BY {{ columns | identifiers }}
)
GROUP BY records
ORDER BY records

-- name: paired_key
-- Key of several columns, joined by slashes that are escaped in the values; NULL if a value is missing.
-- parameter columns: columns, the columns of the key
CASE WHEN {{ columns | each("{x.identifier} IS NOT NULL", between=" AND ") }} THEN
    CONCAT_WS('/', {{
        columns | each("REPLACE(REPLACE(CAST({x.identifier} AS VARCHAR), '\\', '\\\\'), '/', '\\/')")
    }})
END

-- name: folded_key
-- Key in one spelling: without blanks, in lower case, and with full-width letters and digits as usual ones.
-- parameter written: expression, the key as it is written
LOWER(REPLACE(TRANSLATE(
    {{ written | expression }},
    '　ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ０１２３４５６７８９－＿',
    ' ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
), ' ', ''))

-- name: key_writings
-- Number of keys, and number of keys regardless of case, blanks and width.
--
-- takes: source
-- parameter column: column, of texts
-- parameter folded: expression, the column in one spelling
SELECT COUNT(*) AS written, COUNT(DISTINCT {{ folded | expression }}) AS folded
FROM (
    SELECT DISTINCT {{ column | identifier }}
    FROM {{ source | relation }}
    WHERE {{ column | identifier }} IS NOT NULL
) AS every_key
