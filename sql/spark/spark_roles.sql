-- spark_roles
-- The evidence for the roles of columns, in Spark SQL.
--
-- source: as the statements without spark__
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 32 columns

-- name: spark__profile
-- The profile of each column, in one pass: as profile.
--
-- missing: NULL is missing; every other value counts.
--
-- takes: source, columns
-- parameter texts: columns, those of the columns that hold text
-- parameter bytes: columns, those that hold bytes
-- parameter numbers: columns, those that hold numbers
WITH opened AS (
    SELECT {{ columns | each("{x.identifier} AS a{n}") }}

    FROM {{ source | relation }}
),
counted AS (
    SELECT
        COUNT(*) AS records
{% for column in columns %}
        , COUNT(a{{ loop.index }}) AS present{{ loop.index }}
        , CAST(APPROX_COUNT_DISTINCT(CAST(a{{ loop.index }} AS STRING)) AS BIGINT) AS distinct{{ loop.index }}
        , COUNT(a{{ loop.index }}) = 0 OR MIN(a{{ loop.index }}) = MAX(a{{ loop.index }}) AS constant{{ loop.index }}
        , {% if column in texts %}CAST(SUM(LENGTH(a{{ loop.index }})) AS DOUBLE)
            / NULLIF(COUNT(a{{ loop.index }}), 0){% else %}CAST(NULL AS DOUBLE){% endif %} AS length{{ loop.index }}
        , {% if column in texts %}CAST(MAX(LENGTH(a{{ loop.index }})) AS BIGINT){% elif column in bytes %}CAST(
            MAX(OCTET_LENGTH(a{{ loop.index }})) AS BIGINT){% else %}CAST(NULL AS BIGINT){% endif %}
            AS longest{{ loop.index }}
        , {% if column in texts %}COUNT(
            CASE WHEN a{{ loop.index }} LIKE '% % % %' OR a{{ loop.index }} LIKE '%。%' OR a{{ loop.index }} LIKE '%、%'
            THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS blanks{{ loop.index }}
        , {% if column in texts %}COUNT(
            CASE WHEN LENGTH(TRIM(a{{ loop.index }})) >= 16 AND TRY_CAST(a{{ loop.index }} AS TIMESTAMP) IS NOT NULL
            THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %} AS moments{{ loop.index }}
        , {% if column in texts %}COUNT(
            CASE WHEN a{{ loop.index }} LIKE '%_@_%.__%' THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %}
            AS at{{ loop.index }}
        , {% if column in texts %}COUNT(
            CASE WHEN a{{ loop.index }} LIKE '{' || '%"%:%}' OR a{{ loop.index }} LIKE '{' || "%'%:%}"
                OR a{{ loop.index }} LIKE '[{' || '%:%}]' THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %}
            AS fields{{ loop.index }}
        , {% if column in numbers %}CAST(MIN(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %}
            AS lowest{{ loop.index }}
        , {% if column in numbers %}CAST(MAX(a{{ loop.index }}) AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %}
            AS highest{{ loop.index }}
        , {% if column in numbers %}COUNT(
            CASE WHEN CAST(a{{ loop.index }} AS DOUBLE) % 1 <> 0 THEN 1 END){% else %}CAST(0 AS BIGINT){% endif %}
            AS fractions{{ loop.index }}
{% endfor %}
    FROM opened
)
{% for column in columns %}
SELECT
    {{ loop.index0 }} AS position,
    records,
    present{{ loop.index }} AS present,
    records - present{{ loop.index }} AS missing,
    distinct{{ loop.index }} AS distinct_values,
    constant{{ loop.index }} AS constant,
    length{{ loop.index }} AS mean_length,
    longest{{ loop.index }} AS longest,
    blanks{{ loop.index }} AS with_blanks,
    moments{{ loop.index }} AS moments,
    at{{ loop.index }} AS with_at,
    fields{{ loop.index }} AS with_fields,
    lowest{{ loop.index }} AS lowest,
    highest{{ loop.index }} AS highest,
    fractions{{ loop.index }} AS fractions
FROM counted
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position

-- name: spark__cell_shapes
-- The number of sampled values of text columns with digits, numbers, days, measures or names: as cell_shapes.
--
-- takes: source, columns
-- parameter sample_size: integer, largest number of values of each column
{% for column in columns %}
SELECT
    {{ loop.index0 }} AS position,
    COUNT(*) AS cells,
    COUNT(CASE WHEN cell RLIKE '[0-9]' THEN 1 END) AS digits,
    COUNT(CASE WHEN TRY_CAST(REPLACE(cell, ',', '') AS DOUBLE) IS NOT NULL THEN 1 END) AS numbers,
    COUNT(CASE WHEN cell RLIKE '^([0-9]{4}|[0-9]{1,2})[-/.年][0-9]{1,2}[-/.月]([0-9]{4}|[0-9]{1,2})日?$' THEN 1 END)
        AS days,
    COUNT(CASE WHEN LOWER(cell) RLIKE
        '^(([<>~≤≥] ?)?[+−-]?((us|a|c|nz|hk|r)?[$¥￥€£₹₩₽]|usd|eur|jpy|gbp|chf|cny|krw|inr|rs[.]?)?[  ]?[+-]?([0-9]{1,3}([ ,.   ’][0-9]{3})+|[0-9]+)([.,][0-9]+)?([   ]?([$%‰¥€£°]|°?[cf]|usd|eur|euro?s?|jpy|yen|gbp|chf|kr|sek|nok|dkk|pln|zł|czk|kč|ft|huf|cny|krw|inr|(千|万|億)?(円|元|歳|才|人|回|件|個|点|年|日|分|秒|時間|ヶ月|か月|度|円|원)|[kcmdnµμ]?(m|g|l|s|w|v|a|hz|mol|pa)|kwh|lbs?|oz|inch|in|ft|yd|mi|bpm|mmhg|k?cal|[kcm]?m[²2³3]|m[cg]?g/d?l|mmol/l|h|hrs?|hours?|min|mins|minutes?|secs?|seconds?|d|days?|weeks?|months?|y|yrs?|years?|tage?|jahre?|ans?|años?|jours?))?|([0-9]+([.,][0-9]+)? ?(d|days?|h|hrs?|hours?|m|min|mins|minutes?|s|secs?|seconds?)[ ,:]*){2,}|[0-9]{1,3}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?|p([0-9]+[ymwd])*(t([0-9.]+[hms])+)?|[0-9]{2,3} ?/ ?[0-9]{2,3}|[(]?[+-]?[0-9]{1,3}[.,][0-9]+ ?°? ?[nsew]? ?[,; ] ?[+-]?[0-9]{1,3}[.,][0-9]+ ?°? ?[nsew]?[)]?|(srid=[0-9]+;)?(multi)?(point|linestring|polygon) ?(z|m|zm)? ?[(].*[)]|[0-9]{1,3}°.*|[a-tv-z][0-9][0-9ab][.][0-9a-z]{1,4})$' AND cell RLIKE '[0-9]' THEN 1 END) AS measures,
    COUNT(CASE WHEN LENGTH(cell) BETWEEN 3 AND 60 AND NOT cell RLIKE '[0-9]'
        AND cell RLIKE
        '^[A-ZÀ-ÖØ-Þ][^0-9 ]*( (de|da|das|do|dos|di|del|della|den|der|des|du|van|von|zu|la|le|bin|ibn|al|el|ter|ten|y|e|i|af|av|[A-ZÀ-ÖØ-Þ][^0-9 ]*),?)+$|^[ぁ-ヶー一-龯々가-힣]+([ 　・][ぁ-ヶー一-龯々가-힣]+)+$' THEN 1 END) AS full_names,
    COUNT(CASE WHEN LENGTH(cell) BETWEEN 2 AND 5 AND cell RLIKE '^([一-龯々]+|[가-힣]+)$' THEN 1 END) AS unparted_names,
    COUNT(CASE WHEN cell LIKE '% %' THEN 1 END) AS blanks,
    COUNT(CASE WHEN cell LIKE '[%, %]' OR cell LIKE CONCAT('{', '%, %}') THEN 1 END) AS coarse
FROM (
    SELECT TRIM(CAST({{ column | identifier }} AS STRING)) AS cell
    FROM {{ source | relation }}
    WHERE {{ column | identifier }} IS NOT NULL
    LIMIT {{ sample_size | literal }}
) AS cells{{ loop.index }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position

-- name: spark__replaced
-- The records unchanged: long values are carried whole.
--
-- takes: source
{{ source | relation }}
