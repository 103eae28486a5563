-- cell_shapes
-- How many of the first cells of text columns hold digits, numbers, days or several words, a row a column.
--
-- runs: wide
--
-- parameter source: relation, the records
-- parameter columns: columns, at most 32 columns of texts
-- parameter most: integer, how many cells of each
{% for column in columns %}
SELECT
    CAST({{ loop.index0 }} AS INTEGER) AS position,
    COUNT(*) AS cells,
    COUNT(*) FILTER (WHERE REGEXP_MATCHES(cell, '[0-9]')) AS digits,
    COUNT(*) FILTER (WHERE TRY_CAST(REPLACE(cell, ',', '') AS DOUBLE) IS NOT NULL) AS numbers,
    COUNT(*) FILTER (WHERE REGEXP_FULL_MATCH(cell, '([0-9]{4}|[0-9]{1,2})[-/.\x{5E74}][0-9]{1,2}[-/.\x{6708}]([0-9]{4}|[0-9]{1,2})\x{65E5}?')) AS days,
    COUNT(*) FILTER (WHERE cell LIKE '% %') AS blanks
FROM (
    SELECT TRIM(CAST(cell AS VARCHAR)) AS cell
    -- Numbered, the first cells are the first in every run; without, those that a thread read first.
    FROM (
        SELECT {{ column | identifier }} AS cell, ROW_NUMBER() OVER () AS number
        FROM {{ source | relation }}
        WHERE {{ column | identifier }} IS NOT NULL
    )
    WHERE number <= {{ most | literal }}
    LIMIT {{ most | literal }}
)
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY position
