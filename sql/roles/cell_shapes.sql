-- cell_shapes
-- Values with digits, numbers, days, measures, names or blanks among the first values of text columns, and coarse ones.
--
-- definition: a set {a, b}, an interval [a, b] and a list, as releases have them, have the shape of their first value
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 32 columns of texts
-- parameter sample_size: integer, values of each column that are examined
-- parameter first_records: integer or none, number of first records with these values; none searches all records
WITH opened AS {% if first_records is none %}NOT {% endif %}MATERIALIZED (
    -- Read once: to bind a source of many columns again for each takes longer than to read these.
    -- Cut: 10,000 characters of a value show its shape, and values of any length would fill the memory.
    SELECT
{% for column in columns %}
        LEFT(CAST({{ column | identifier }} AS VARCHAR), 10000) AS a{{ loop.index }},
{% endfor %}
        number
    -- Numbered, the first values are the same in every run; otherwise they are those that a thread read first.
    FROM (SELECT *, ROW_NUMBER() OVER () AS number FROM {{ source | relation }}) AS numbered
{% if first_records is not none %}
    WHERE number <= {{ first_records | literal }}
    LIMIT {{ first_records | literal }}
{% endif %}
)
SELECT
    positions.position,
    COUNT(sample.position) AS cells,
    COUNT(*) FILTER (WHERE REGEXP_MATCHES(cell, '[0-9]')) AS digits,
    COUNT(*) FILTER (WHERE TRY_CAST(REPLACE(cell, ',', '') AS DOUBLE) IS NOT NULL) AS numbers,
    COUNT(*) FILTER (WHERE REGEXP_FULL_MATCH(
        cell,
        '([0-9]{4}|[0-9]{1,2})[-/.\x{5E74}][0-9]{1,2}[-/.\x{6708}]([0-9]{4}|[0-9]{1,2})\x{65E5}?'
    )) AS days,
    -- An amount, a share, a measurement with its unit, a duration, coordinates, or a code of the ICD.
    COUNT(*) FILTER (WHERE CASE WHEN REGEXP_MATCHES(cell, '[0-9]') THEN REGEXP_FULL_MATCH(
        LOWER(cell),
        '([<>~\x{2264}\x{2265}] ?)?[+\x{2212}-]?'
        || '((us|a|c|nz|hk|r)?[$\x{A5}\x{FFE5}\x{20AC}\x{A3}\x{20B9}\x{20A9}\x{20BD}]'
        || '|usd|eur|jpy|gbp|chf|cny|krw|inr|rs\.?)?[ \x{A0}]?'
        || '[+-]?([0-9]{1,3}([ ,.\x{A0}\x{202F}\x{2009}\x{2019}''][0-9]{3})+|[0-9]+)([.,][0-9]+)?'
        || '([ \x{A0}\x{202F}]?([$%\x{2030}\x{A5}\x{20AC}\x{A3}\x{B0}]|\x{B0}?[cf]'
        || '|usd|eur|euro?s?|jpy|yen|gbp|chf|kr|sek|nok|dkk|pln|zł|czk|kč|ft|huf|cny|krw|inr'
        || '|(\x{5343}|\x{4E07}|\x{5104})?'
        || '(\x{5186}|\x{5143}|\x{6B73}|\x{624D}|\x{4EBA}|\x{56DE}|\x{4EF6}|\x{500B}|\x{70B9}|\x{5E74}|\x{65E5}'
        || '|\x{5206}|\x{79D2}|\x{6642}\x{9593}|\x{30F6}\x{6708}|\x{304B}\x{6708}|\x{5EA6}|\x{5186}|\x{C6D0})'
        || '|[kcmdnµμ]?(m|g|l|s|w|v|a|hz|mol|pa)|kwh|lbs?|oz|inch|in|ft|yd|mi|bpm|mmhg|k?cal|[kcm]?m[²2³3]'
        || '|m[cg]?g/d?l|mmol/l|h|hrs?|hours?|min|mins|minutes?|secs?|seconds?|d|days?|weeks?|months?'
        || '|y|yrs?|years?|tage?|jahre?|ans?|años?|jours?))?'
        || '|([0-9]+([.,][0-9]+)? ?(d|days?|h|hrs?|hours?|m|min|mins|minutes?|s|secs?|seconds?)[ ,:]*){2,}'
        || '|[0-9]{1,3}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?|p([0-9]+[ymwd])*(t([0-9.]+[hms])+)?'
        || '|[0-9]{2,3} ?/ ?[0-9]{2,3}'
        || '|[(\[]?[+-]?[0-9]{1,3}[.,][0-9]+ ?\x{B0}? ?[nsew]? ?[,; ] ?[+-]?[0-9]{1,3}[.,][0-9]+ ?\x{B0}?'
        || ' ?[nsew]?[)\]]?|(srid=[0-9]+;)?(multi)?(point|linestring|polygon) ?(z|m|zm)? ?\(.*\)|[0-9]{1,3}\x{B0}.*'
        || '|[a-tv-z][0-9][0-9ab]\.[0-9a-z]{1,4}'
    ) ELSE FALSE END) AS measures,
    -- Capitalised words without digits, and the particles between them; several words in scripts without capitals.
    COUNT(*) FILTER (
        WHERE CASE WHEN NOT REGEXP_MATCHES(cell, '[0-9]') AND LENGTH(cell) BETWEEN 3 AND 60 THEN REGEXP_FULL_MATCH(
            cell,
            '(\p{Lu}[\p{L}\p{M}''\x{2019}.-]*,?)'
            || '( (de|da|das|do|dos|di|del|della|den|der|des|du|van|von|zu|la|le|bin|ibn|al|el|ter|ten|y|e|i|af|av'
            || '|\p{Lu}[\p{L}\p{M}''\x{2019}.-]*),?)+'
            || '|[\p{Lo}\p{Lm}\p{M}]+([ \x{3000}\x{30FB}][\p{Lo}\p{Lm}\p{M}]+)+'
        ) ELSE FALSE END
    ) AS full_names,
    -- Names in languages that write them without blanks: two to five Chinese characters, or syllables of Korean.
    COUNT(*) FILTER (
        WHERE LENGTH(cell) BETWEEN 2 AND 5 AND REGEXP_FULL_MATCH(cell, '[\p{Han}\x{3005}]+|\p{Hangul}+')
    ) AS unparted_names,
    COUNT(*) FILTER (WHERE cell LIKE '% %') AS blanks,
    COUNT(*) FILTER (WHERE is_coarse) AS coarse
FROM (VALUES {{ columns | each("(CAST({i} AS INTEGER))") }}) AS positions (position)
LEFT JOIN (
    -- One list of lists: each branch of a UNION ALL would compile the patterns again, which takes longer than to match.
    SELECT
        position,
        TRIM(CASE
            WHEN cell LIKE '[%]' OR cell LIKE '{' || '%, %}'
            THEN SUBSTR(cell, 2, LENGTH(SPLIT_PART(cell, ', ', 1)) - CASE WHEN cell LIKE '%, %' THEN 1 ELSE 2 END)
            ELSE cell
        END) AS cell,
        cell LIKE '[%, %]' OR cell LIKE '{' || '%, %}' AS is_coarse
    FROM (
        SELECT position, UNNEST(cells) AS cell
        FROM (
            SELECT
                UNNEST(RANGE({{ columns | length }})) AS position,
                UNNEST([
{% for column in columns %}
                    (
                        SELECT LIST(cell)
                        FROM (
                            SELECT a{{ loop.index }} AS cell
                            FROM opened
                            WHERE a{{ loop.index }} IS NOT NULL
                            ORDER BY number
                            LIMIT {{ sample_size | literal }}
                        ) AS first_cells
                    ){{ loop | between }}

{% endfor %}
                ]) AS cells
        ) AS lists
    ) AS listed
) AS sample ON sample.position = positions.position
GROUP BY positions.position
ORDER BY positions.position
