-- contest_files
-- Reads the files of the contest: splits their lines, and lists violations of their format.
--
-- source: the check of the contest of 2017
-- runs: finish
--
-- parameter name: column, the table
-- parameter source: relation, the lines

-- name: begin_violations
-- Creates the empty table of the violations in a file.
-- takes: name
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} (violated VARCHAR, record BIGINT, value VARCHAR)

-- name: ends_with_lf
-- Whether the lines of a file of the contest end with LF.
--
-- definition: more of them do than end with CR LF
--
-- takes: source
SELECT COUNT(CASE WHEN ending = 'lf' THEN 1 END) > COUNT(CASE WHEN ending = 'crlf' THEN 1 END) AS found
FROM {{ source | relation }} AS lines

-- name: contest_lines
-- The lines of a file of the contest, split at the commas.
--
-- definition: lines end with LF or CR LF; a CR alone also ends a line and is recorded in ending. Text after the last
--   line end is a line unless it is empty. Quotation marks are recorded in quoted and removed. While lines are split,
--   CR LF and CR are the control characters 30 and 31 and an LF.
--
-- takes: name
-- parameter path: text, the file, as UTF-8
-- parameter columns: integer, number of values to take
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH files AS (
    SELECT
        STRING_SPLIT(
            REPLACE(REPLACE(LTRIM(content, CHR(65279)), CHR(13) || CHR(10), CHR(30) || CHR(10)), CHR(13),
                CHR(31) || CHR(10)), CHR(10)
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
        , CASE WHEN record = last THEN 'none' WHEN piece LIKE '%' || CHR(30) THEN 'crlf' WHEN piece LIKE '%' || CHR(31)
            THEN 'cr' ELSE 'lf' END AS ending
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

-- name: contest_header
-- Whether a file of the contest begins with a header, which is not allowed.
--
-- definition: the first line has all of these columns, and none of them holds a valid value
-- missing: a line that is too short is no header
--
-- takes: source
-- parameter columns: columns, the columns that distinguish names from values
-- parameter patterns: texts, the required pattern of each
SELECT COUNT(*) > 0 AS found
FROM {{ source | relation }} AS lines
WHERE record = 1 AND c0 <> 'DEL'
{% for column in columns %}
    AND {{ column | identifier }} IS NOT NULL
    AND NOT REGEXP_FULL_MATCH({{ column | identifier }}, {{ patterns[loop.index0] | literal }})
{% endfor %}

-- name: contest_cells
-- The records of a history in a file of the contest, as written.
--
-- definition: customer or pseudonym, invoice, date, time, stock code, price and quantity; a record that begins with
--   DEL is deleted, and partly deleted if another value is left
-- missing: an empty value stays empty; the values of deleted records are missing
--
-- takes: name, source
-- parameter header_lines: integer, number of lines before the first record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH lines AS (
    SELECT record - {{ header_lines }} AS record, fields, c0, c1, c2, c3, c4, c5, c6, c0 = 'DEL' AS deleted
    FROM {{ source | relation }} AS lines
    WHERE record > {{ header_lines }}
)
SELECT
    record
    , fields
    , deleted
    , deleted AND CONCAT(c1, c2, c3, c4, c5, c6) <> '' AS partly
    , CASE WHEN NOT deleted THEN c0 END AS person
    , CASE WHEN NOT deleted THEN c1 END AS invoice
    , CASE WHEN NOT deleted THEN c2 END AS moment
    , CASE WHEN NOT deleted AND REGEXP_FULL_MATCH(c2, '\d{4}/1?\d/[1-3]?\d') AND c2 >= '0001'
        THEN CAST(TRY_STRPTIME(c2, '%Y/%m/%d') AS DATE) END AS day
    , CASE WHEN NOT deleted THEN c3 END AS clock
    , CASE WHEN NOT deleted THEN c4 END AS item
    , CASE WHEN NOT deleted THEN c5 END AS price
    , CASE WHEN NOT deleted THEN c6 END AS quantity
FROM lines
ORDER BY record

-- name: history_cells
-- The records of any history as texts, by the roles of its columns.
--
-- definition: a record is deleted if it has no user, or the user DEL, and partly deleted if another value is left
-- missing: an empty text is missing; where there is no quantity each record is of one piece
--
-- takes: name
-- parameter source: relation, the records in their order
-- parameter user: column, the users or pseudonyms
-- parameter moment: column, a date, a moment, or a text of one
-- parameter clock: column or none, the time of day
-- parameter has_clock: flag, moments have a time of day
-- parameter item: column, the items
-- parameter price: column or none, the prices
-- parameter is_number: flag, prices are numbers, so that 1.5 equals 1.50
-- parameter quantity: column or none, the quantities
-- parameter invoice: column or none, the purchases
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH records AS (
    SELECT
        ROW_NUMBER() OVER () AS record
        , NULLIF(CAST({{ user | identifier }} AS VARCHAR), '') AS person
        , {% if invoice is not none %}NULLIF(
            CAST({{ invoice | identifier }} AS VARCHAR), ''){% else %}CAST(NULL AS VARCHAR){% endif %} AS invoice
        , NULLIF(CAST({{ moment | identifier }} AS VARCHAR), '') AS moment
        , {% if clock is not none %}NULLIF(
            CAST({{ clock | identifier }} AS VARCHAR), ''){% else %}CAST(NULL AS VARCHAR){% endif %} AS clock
        , NULLIF(CAST({{ item | identifier }} AS VARCHAR), '') AS item
        , {% if price is none %}CAST(NULL AS VARCHAR){% elif is_number %}CAST(
            CAST({{ price | identifier }} AS DOUBLE) AS VARCHAR){% else %}NULLIF(
            CAST({{ price | identifier }} AS VARCHAR), ''){% endif %} AS price
        , {% if quantity is not none %}NULLIF(CAST({{ quantity | identifier }} AS VARCHAR), ''){% else %}'1'{% endif %}
            AS quantity
    FROM {{ source | relation }} AS source
),
told AS (
    SELECT
        *
        , person IS NULL OR person = 'DEL' AS deleted
        , COALESCE(TRY_CAST(moment AS TIMESTAMP), TRY_STRPTIME(moment, '%Y/%m/%d'),
            TRY_STRPTIME(moment, '%Y/%m/%d %H:%M')) AS exactly
    FROM records
)
SELECT
    record
    , CAST(NULL AS INTEGER) AS fields
    , deleted
    , deleted AND CONCAT(moment, item, clock, price, invoice{% if quantity is not none %}, quantity{% endif %})
        <> '' AS partly
    , CASE WHEN NOT deleted THEN person END AS person
    , CASE WHEN NOT deleted THEN invoice END AS invoice
    , CASE WHEN NOT deleted THEN moment END AS moment
    , CASE WHEN NOT deleted THEN CAST(exactly AS DATE) END AS day
    , CASE WHEN NOT deleted
        THEN {% if has_clock %}COALESCE(clock, CAST(CAST(exactly AS TIME) AS VARCHAR)){% else %}clock{% endif %}
        END AS clock
    , CASE WHEN NOT deleted THEN item END AS item
    , CASE WHEN NOT deleted THEN price END AS price
    , CASE WHEN NOT deleted THEN quantity END AS quantity
FROM told
ORDER BY record

-- name: format_violations
-- The violations of the format of a file of the contest, a row for each line.
--
-- definition: a byte order mark; a header; lines that end with a CR alone, or with CR LF where LF has to be, or in
--   another way than most; quotation marks; lines of too few or too many fields
--
-- takes: source
-- parameter name: column, the table of violations
-- parameter lf_only: flag, lines must end with LF; else they can all end with CR LF
-- parameter fields: integer, as many a line must have
-- parameter has_bom: flag, the file begins with a byte order mark
-- parameter not_utf8: flag, the file is not UTF-8
-- parameter header_lines: integer, number of lines before the first record
INSERT INTO {{ name | identifier }}
WITH lines AS (
    SELECT record - {{ header_lines }} AS record, ending, quoted, fields
    FROM {{ source | relation }} AS lines
),
endings AS (
    SELECT
        COUNT(CASE WHEN ending = 'lf' THEN 1 END) AS lf
        , COUNT(CASE WHEN ending = 'crlf' THEN 1 END) AS crlf
    FROM lines
)
SELECT 'encoding' AS violated, NULL AS record, NULL AS value WHERE {{ not_utf8 | literal }}
UNION ALL
SELECT 'byte_order_mark', NULL, NULL WHERE {{ has_bom | literal }}
UNION ALL
SELECT 'header', NULL, NULL WHERE {{ header_lines }} > 0
UNION ALL
SELECT 'line_ends', record, NULL
FROM lines, endings
WHERE ending = 'cr'
    OR {% if not lf_only %}(ending = 'lf' AND crlf >= lf) OR {% endif %}(
    ending = 'crlf'{% if not lf_only %} AND lf > crlf{% endif %})

UNION ALL
SELECT 'quotes', record, NULL
FROM lines
WHERE quoted
UNION ALL
SELECT 'fields', record, CAST(fields AS VARCHAR)
FROM lines
WHERE fields <> {{ fields }} AND record > 0

-- name: cell_violations
-- The values of a history that are not written as required, a row for each.
--
-- definition: in files of the contest pseudonyms and invoices are of letters, digits, _ and -, dates yyyy/m/d, times
--   h:mm, prices of 1 to 5 digits and up to 2 decimals, quantities of 1 to 6 digits; in others dates and times can be
--   read and prices and quantities are numbers
-- source: the check of the contest of 2017
-- missing: values of deleted records are not examined
--
-- parameter name: column, the table of violations
-- parameter source: relation, the records as they are written
-- parameter contest: flag, the file belongs to a contest
INSERT INTO {{ name | identifier }}
WITH kept AS (
    SELECT * FROM {{ source | relation }} AS records WHERE NOT deleted{% if contest %} AND fields = 7{% endif %}

)
{% if contest %}
SELECT 'pseudonym_characters' AS violated, record, person AS value FROM kept
WHERE NOT REGEXP_FULL_MATCH(person, '[A-Za-z0-9_-]+')
UNION ALL
SELECT 'invoice_characters', record, invoice FROM kept WHERE NOT REGEXP_FULL_MATCH(invoice, '[A-Za-z0-9_-]+')
UNION ALL
SELECT 'date', record, moment FROM kept WHERE day IS NULL
UNION ALL
SELECT 'time', record, clock
FROM kept
WHERE NOT REGEXP_FULL_MATCH(clock, '\d{1,2}:\d{2}') OR TRY_STRPTIME(clock, '%H:%M') IS NULL
UNION ALL
SELECT 'price', record, price FROM kept WHERE NOT REGEXP_FULL_MATCH(price, '\d{1,5}(\.\d{1,2})?')
UNION ALL
SELECT 'quantity', record, quantity FROM kept WHERE NOT REGEXP_FULL_MATCH(quantity, '\d{1,6}')
{% else %}
SELECT 'date' AS violated, record, moment AS value FROM kept WHERE day IS NULL AND moment IS NOT NULL
UNION ALL
SELECT 'time', record, clock FROM kept
WHERE clock IS NOT NULL AND TRY_CAST(clock AS TIME) IS NULL AND TRY_STRPTIME(clock, '%H:%M') IS NULL
UNION ALL
SELECT 'price', record, price FROM kept WHERE price IS NOT NULL AND TRY_CAST(price AS DOUBLE) IS NULL
UNION ALL
SELECT 'quantity', record, quantity FROM kept
WHERE quantity IS NOT NULL AND TRY_CAST(quantity AS DECIMAL(27, 9)) IS NULL
{% endif %}

-- name: count_violations
-- The violations in a file: their number and the first rows.
--
-- definition: rows by their number; a violation without a row counts once and lists none
--
-- parameter source: relation, the violations
-- parameter max_rows: integer, as many rows are named
WITH numbered AS (
    SELECT violated, record, value,
        ROW_NUMBER() OVER (PARTITION BY violated ORDER BY record NULLS LAST, value NULLS LAST) AS number
    FROM {{ source | relation }} AS violations
)
SELECT
    violated
    , COUNT(*) AS violations
    , COALESCE(LIST(record ORDER BY number) FILTER (number <= {{ max_rows }} AND record IS NOT NULL), []) AS rows
    , COALESCE(LIST(value ORDER BY number) FILTER (number <= {{ max_rows }} AND value IS NOT NULL), []) AS "values"
FROM numbered
GROUP BY violated
ORDER BY violated

-- name: contest_records
-- The records of a file of the contest under the column names of a source, for treatment and writing.
--
-- definition: customer or pseudonym, invoice, date, time, stock code, price, quantity; all texts but the date
-- missing: empty values and the values of a deleted record are missing
--
-- takes: source
-- parameter name: column, the view
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    NULLIF(NULLIF(c0, 'DEL'), '') AS c0
    , NULLIF(c1, '') AS c1
    , CAST(TRY_STRPTIME(c2, '%Y/%m/%d') AS DATE) AS c2
    , NULLIF(c3, '') AS c3
    , NULLIF(c4, '') AS c4
    , NULLIF(c5, '') AS c5
    , NULLIF(c6, '') AS c6
FROM {{ source | relation }} AS lines
