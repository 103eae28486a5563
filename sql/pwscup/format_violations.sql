-- format_violations
-- What is wrong with the format of a file of the contest, a row for each line.
--
-- definition: a byte order mark; a header; lines that end with a CR alone, or with CR LF where LF has to be, or in
--   another way than most; quotation marks; lines of too few or too many fields
-- portable: no
--
-- parameter name: column, the table of what is wrong
-- parameter source: relation, the lines
-- parameter plain: integer, 1 where lines have to end with LF; else they may all end with CR LF
-- parameter fields: integer, as many a line must have
-- parameter marked: integer, 1 where the file opens with a byte order mark
-- parameter foreign: integer, 1 where the file is not UTF-8
-- parameter skipped: integer, 1 where the first line is a header
INSERT INTO {{ name | identifier }}
WITH lines AS (
    SELECT record - {{ skipped }} AS record, ending, quoted, fields
    FROM {{ source | relation }} AS lines
),
endings AS (
    SELECT
        COUNT(CASE WHEN ending = 'lf' THEN 1 END) AS lf
        , COUNT(CASE WHEN ending = 'crlf' THEN 1 END) AS crlf
    FROM lines
)
SELECT 'encoding' AS violated, NULL AS record, NULL AS value WHERE {{ foreign }} = 1
UNION ALL
SELECT 'byte_order_mark', NULL, NULL WHERE {{ marked }} = 1
UNION ALL
SELECT 'header', NULL, NULL WHERE {{ skipped }} = 1
UNION ALL
SELECT 'line_ends', record, NULL
FROM lines, endings
WHERE ending = 'cr' OR {% if not plain %}(ending = 'lf' AND crlf >= lf) OR {% endif %}(ending = 'crlf'{% if not plain %} AND lf > crlf{% endif %})

UNION ALL
SELECT 'quotes', record, NULL
FROM lines
WHERE quoted
UNION ALL
SELECT 'fields', record, CAST(fields AS VARCHAR)
FROM lines
WHERE fields <> {{ fields }} AND record > 0
