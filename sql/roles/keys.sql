-- keys
-- What tells the key of a person from other columns: what agrees within its values, and where these lie together.
--
-- idea: a column that agrees within the values of a key because it is nearly constant agrees between neighbouring values
--   as well. In the order of digests, neighbours have nothing else in common.
-- source: functional dependency (Codd); the comparison with neighbours is our own
-- runs: wide
--
-- parameter source: relation, the records

-- name: key_dependents
-- Count how often columns change within the values of each key, and how often between two neighbouring values.
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
            WHEN GROUPING(k{{ loop.index }}) = 0{% if groups %} AND GROUPING(g{{ loop.index }}) = 0{% endif %} THEN {{ loop.index0 }}
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
        , CASE WHEN {% if column in ages %}highest{{ loop.index }} - lowest{{ loop.index }} > {{ years | literal }}{% else %}lowest{{ loop.index }} <> highest{{ loop.index }}{% endif %} THEN 1 ELSE 0 END AS changing{{ loop.index }}
        , CASE WHEN lowest{{ loop.index }} <> LAG(lowest{{ loop.index }}) OVER neighbours THEN 1 ELSE 0 END AS differing{{ loop.index }}
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
    CAST(COALESCE(CASE positions.position {{ columns | each("WHEN {i} THEN changing{n}", between=" ") }} END, 0) AS BIGINT) AS changing,
    CAST(COALESCE(CASE positions.position {{ columns | each("WHEN {i} THEN differing{n}", between=" ") }} END, 0) AS BIGINT) AS differing
FROM (VALUES {{ keys | each("({i})") }}) AS every_key (key)
LEFT JOIN values_of_keys ON values_of_keys.key = every_key.key
LEFT JOIN repeated_values ON repeated_values.key = every_key.key
CROSS JOIN (VALUES {{ columns | each("({i})") }}) AS positions (position)
ORDER BY every_key.key, positions.position

-- name: changing_columns
-- Which columns have two values within one of some values of a key, a row a column: they need not be counted.
--
-- takes: source
-- parameter user: column, the key
-- parameter columns: columns, any number
-- parameter most: integer, values of the key that are looked at
WITH opened AS (
    SELECT {{ user | identifier }} AS user_id{% for column in columns %}, {{ column | identifier }} AS a{{ loop.index }}{% endfor %}

    FROM {{ source | relation }}
),
several AS (
    SELECT user_id
    FROM opened
    WHERE user_id IS NOT NULL
    GROUP BY user_id
    HAVING COUNT(*) > 1
    ORDER BY user_id
    LIMIT {{ most | literal }}
),
by_value AS (
    SELECT {% for column in columns %}MIN(a{{ loop.index }}) <> MAX(a{{ loop.index }}) AS changing{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM opened
    WHERE user_id IN (SELECT user_id FROM several)
    GROUP BY user_id
),
totals AS (
    SELECT {% for column in columns %}BOOL_OR(changing{{ loop.index }}) AS changing{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM by_value
)
SELECT
    UNNEST(RANGE({{ columns | length }})) AS position,
    UNNEST([{% for column in columns %}COALESCE(changing{{ loop.index }}, FALSE){% if not loop.last %}, {% endif %}{% endfor %}]) AS changing
FROM totals
ORDER BY position

-- name: key_runs
-- How often columns change from a record to the next one of some, and how many values they have there, a row a column.
--
-- takes: source
-- parameter columns: columns, at most 32 columns
WITH numbered AS (
    SELECT ROW_NUMBER() OVER () AS number{% for column in columns %}, {{ column | identifier }} AS a{{ loop.index }}{% endfor %}

    FROM {{ source | relation }}
),
changes AS (
    SELECT
        number
{% for column in columns %}
        , a{{ loop.index }}
        , CASE WHEN a{{ loop.index }} IS DISTINCT FROM LAG(a{{ loop.index }}) OVER (ORDER BY number) THEN 1 ELSE 0 END AS changed{{ loop.index }}
{% endfor %}
    FROM numbered
)
{% for column in columns %}
SELECT CAST({{ loop.index0 }} AS INTEGER) AS position, COUNT(DISTINCT a{{ loop.index }}) AS key_values, CAST(SUM(changed{{ loop.index }}) AS BIGINT) AS runs FROM changes
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position

-- name: exact_values
-- How many values and different values columns have exactly, a row a column where there are records.
--
-- takes: source
-- parameter columns: columns, at most 32 columns of one type
SELECT position, COUNT(cell) AS present, COUNT(DISTINCT cell) AS distinct_values
FROM (
    -- One column below the other: different values side by side take three times as long.
    SELECT positions.position, CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN {{ column | identifier }}{% endfor %} END AS cell
    FROM {{ source | relation }}
    CROSS JOIN (VALUES {% for column in columns %}(CAST({{ loop.index0 }} AS INTEGER)){% if not loop.last %}, {% endif %}{% endfor %}) AS positions (position)
) AS cells
GROUP BY position
ORDER BY position

-- name: group_sizes
-- The sizes of the groups of equal records, and how many groups have each.
--
-- takes: source
-- parameter columns: columns, by which records are equal
SELECT records, COUNT(*) AS groups
FROM (
    SELECT COUNT(*) AS records
    FROM {{ source | relation }}
    GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

)
GROUP BY records
ORDER BY records

-- name: paired_key
-- One key of several columns; a slash in a value does not part it, and where one is missing there is no key.
-- parameter columns: columns, the columns of the key
CASE WHEN {% for column in columns %}{{ column | identifier }} IS NOT NULL{% if not loop.last %} AND {% endif %}{% endfor %} THEN
    CONCAT_WS('/', {% for column in columns %}REPLACE(REPLACE(CAST({{ column | identifier }} AS VARCHAR), '\', '\\'), '/', '\/'){% if not loop.last %}, {% endif %}{% endfor %})
END

-- name: folded_key
-- A key in one writing: without blanks, in lower case, and full-width letters and digits as usual ones.
-- parameter written: expression, the key as it is written
LOWER(REPLACE(TRANSLATE(
    {{ written | expression }},
    '　ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ０１２３４５６７８９－＿',
    ' ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
), ' ', ''))

-- name: key_writings
-- How many keys there are, and how many if case, blanks and width do not count.
--
-- takes: source
-- parameter column: column, of texts
-- parameter folded: expression, the column in one writing
SELECT COUNT(*) AS written, COUNT(DISTINCT {{ folded | expression }}) AS folded
FROM (SELECT DISTINCT {{ column | identifier }} FROM {{ source | relation }} WHERE {{ column | identifier }} IS NOT NULL) AS every_key
