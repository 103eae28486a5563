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
-- How often columns change within the values of a key, and how often between two neighbouring values, a row a column.
--
-- takes: source
-- parameter keys: columns, the columns of the key
-- parameter columns: columns, at most 32 columns
-- parameter ages: columns, those of the columns that are ages in years
-- parameter years: integer, how far ages of one person are apart at most
WITH opened AS (
    SELECT {% for key in keys %}{{ key | identifier }} AS k{{ loop.index }}, {% endfor %}{% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
),
by_value AS (
    SELECT
        MD5(CONCAT({% for key in keys %}k{{ loop.index }}, '/'{% if not loop.last %}, {% endif %}{% endfor %})) AS digest,
        COUNT(*) AS records
{% for column in columns %}
        , MIN(a{{ loop.index }}) AS lowest{{ loop.index }}, MAX(a{{ loop.index }}) AS highest{{ loop.index }}
{% endfor %}
    FROM opened
    WHERE {% for key in keys %}k{{ loop.index }} IS NOT NULL{% if not loop.last %} AND {% endif %}{% endfor %}

    GROUP BY {% for key in keys %}k{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

),
compared AS (
    SELECT
        records
{% for column in columns %}
        , CASE WHEN {% if column in ages %}highest{{ loop.index }} - lowest{{ loop.index }} > {{ years | literal }}{% else %}lowest{{ loop.index }} <> highest{{ loop.index }}{% endif %} THEN 1 ELSE 0 END AS changing{{ loop.index }}
        , CASE WHEN lowest{{ loop.index }} <> LAG(lowest{{ loop.index }}) OVER (ORDER BY digest) THEN 1 ELSE 0 END AS differing{{ loop.index }}
{% endfor %}
    FROM by_value
    WHERE records > 1
),
totals AS (
    SELECT (SELECT COUNT(*) FROM by_value) AS key_values, (SELECT SUM(records) FROM by_value) AS records, MAX(records) AS most, COUNT(*) AS repeated{% for column in columns %}, SUM(changing{{ loop.index }}) AS changing{{ loop.index }}, SUM(differing{{ loop.index }}) AS differing{{ loop.index }}{% endfor %}

    FROM compared
)
SELECT
    positions.position,
    CAST(key_values AS BIGINT) AS key_values,
    CAST(repeated AS BIGINT) AS repeated,
    CAST(records AS BIGINT) AS records,
    CAST(most AS BIGINT) AS most,
    CAST(COALESCE(CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN changing{{ loop.index }}{% endfor %} END, 0) AS BIGINT) AS changing,
    CAST(COALESCE(CASE positions.position{% for column in columns %} WHEN {{ loop.index0 }} THEN differing{{ loop.index }}{% endfor %} END, 0) AS BIGINT) AS differing
FROM totals
CROSS JOIN (VALUES {% for column in columns %}({{ loop.index0 }}){% if not loop.last %}, {% endif %}{% endfor %}) AS positions (position)
ORDER BY positions.position

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
