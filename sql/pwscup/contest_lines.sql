-- contest_lines
-- The lines of a file of the contest, cut at the commas.
--
-- definition: lines end with LF or CR LF; a CR alone ends one too, and is told in ending; what follows the last line end
--   is a line unless it is empty; quotation marks are told in quoted and left out. While lines are cut, CR LF and CR are
--   the control characters 30 and 31 and an LF.
-- portable: no
--
-- parameter name: column, the table
-- parameter path: text, the file, as UTF-8
-- parameter columns: integer, as many cells are taken
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH files AS (
    SELECT
        STRING_SPLIT(
            REPLACE(REPLACE(LTRIM(content, CHR(65279)), CHR(13) || CHR(10), CHR(30) || CHR(10)), CHR(13), CHR(31) || CHR(10)), CHR(10)
        ) AS pieces
    FROM READ_TEXT({{ path | literal }})
),
pieces AS (
    SELECT UNNEST(pieces) AS piece, GENERATE_SUBSCRIPTS(pieces, 1) AS record, LEN(pieces) AS last
    FROM files
),
lines AS (
    SELECT
        record
        , CASE WHEN record = last THEN 'none' WHEN piece LIKE '%' || CHR(30) THEN 'crlf' WHEN piece LIKE '%' || CHR(31) THEN 'cr' ELSE 'lf' END AS ending
        , CONTAINS(piece, '"') AS quoted
        , STRING_SPLIT(REPLACE(RTRIM(piece, CHR(30) || CHR(31)), '"', ''), ',') AS cells
    FROM pieces
    WHERE record < last OR piece <> ''
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
