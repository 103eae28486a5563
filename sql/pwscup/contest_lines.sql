-- contest_lines
-- The lines of a file of the contest, cut at the commas.
--
-- definition: lines end with LF or CR LF; a CR alone ends one too, and is told in ending; what follows the last line end
--   is a line unless it is empty; quotation marks are told in quoted and left out
-- portable: no
--
-- parameter name: column, the table
-- parameter path: text, the file, as UTF-8
-- parameter columns: integer, as many cells are taken
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH files AS (
    SELECT STRING_SPLIT(LTRIM(content, CHR(65279)), CHR(10)) AS pieces
    FROM READ_TEXT({{ path | literal }})
),
pieces AS (
    SELECT UNNEST(pieces) AS piece, GENERATE_SUBSCRIPTS(pieces, 1) AS number, LEN(pieces) AS last
    FROM files
),
ended AS (
    SELECT
        number
        , number = last AS is_last
        , number < last AND piece LIKE '%' || CHR(13) AS carried
        , STRING_SPLIT(
            CASE WHEN number < last AND piece LIKE '%' || CHR(13) THEN LEFT(piece, LENGTH(piece) - 1) ELSE piece END, CHR(13)
        ) AS parts
    FROM pieces
),
parted AS (
    SELECT number, is_last, carried, UNNEST(parts) AS line, GENERATE_SUBSCRIPTS(parts, 1) AS part, LEN(parts) AS parts
    FROM ended
),
lines AS (
    SELECT
        ROW_NUMBER() OVER (ORDER BY number, part) AS record
        , CASE WHEN part < parts THEN 'cr' WHEN is_last THEN 'none' WHEN carried THEN 'crlf' ELSE 'lf' END AS ending
        , CONTAINS(line, '"') AS quoted
        , STRING_SPLIT(REPLACE(line, '"', ''), ',') AS cells
    FROM parted
    WHERE NOT (is_last AND part = parts AND line = '')
)
SELECT
    record
    , ending
    , quoted
    , CAST(LEN(cells) AS INTEGER) AS fields
{% for place in range(columns) %}
    , cells[{{ place + 1 }}] AS c{{ place }}
{% endfor %}
FROM lines
ORDER BY record
