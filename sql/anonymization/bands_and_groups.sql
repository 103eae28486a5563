-- bands_and_groups
-- Cells of uniform forms: bands of numbers, groups of values, and the first day of a period.
--
-- source: global recoding by a partition of each domain, as in LeFevre et al., Incognito, SIGMOD 2005
-- runs: finish
--
-- parameter column: column, the values
-- parameter kind: expression, the type in which numbers are compared
-- parameter type: expression, the type of the column
-- parameter edges: texts, the starts of the bands, ascending, and the end of the last one

-- name: is_in_bands
-- Whether a number is in one of the bands.
--
-- definition: the last band includes its end
-- missing: a missing value is in
--
-- takes: column, kind, edges
{{ column | identifier }} IS NULL OR CAST({{ column | identifier }} AS {{ kind | expression }}) BETWEEN
    CAST({{ edges[0] | literal }} AS {{ kind | expression }})
    AND CAST({{ edges[-1] | literal }} AS {{ kind | expression }})

-- name: band_cell
-- The cell of a number's band.
--
-- missing: stays missing
--
-- takes: column, kind, edges
-- parameter cells: expressions, the cell of each band
CASE
    WHEN {{ column | identifier }} IS NULL THEN NULL
{% for edge in edges[1:-1] %}
    WHEN CAST({{ column | identifier }} AS {{ kind | expression }})
        < CAST({{ edge | literal }} AS {{ kind | expression }})
    THEN {{ cells[loop.index0] | expression }}
{% endfor %}
    ELSE {{ cells[-1] | expression }}
END

-- name: band_mean
-- The mean of a band.
--
-- parameter mean: text, the number
CAST({{ mean | literal }} AS DOUBLE)

-- name: band_end
-- The least or greatest number of a band, as a value of the column.
--
-- takes: type
-- parameter number: text, the number
CAST({{ number | literal }} AS {{ type | expression }})

-- name: band_interval
-- The interval of a band, as text: [18, 24], or 18 where it has one value.
--
-- takes: type
-- parameter least: text, its least number
-- parameter most: text, its greatest number
{% if least == most %}
CAST(CAST({{ least | literal }} AS {{ type | expression }}) AS VARCHAR)
{% else %}
'[' || CAST(CAST({{ least | literal }} AS {{ type | expression }}) AS VARCHAR) || ', '
    || CAST(CAST({{ most | literal }} AS {{ type | expression }}) AS VARCHAR) || ']'
{% endif %}

-- name: group_cells
-- Creates the table of the cells of grouped values.
--
-- parameter name: column, the table
-- parameter texts: texts, the values
-- parameter numbers: integers, the number of the group of each value, from 1
-- parameter cells: texts, the cell of each group
-- parameter listed: flag, cells are lists of the values
-- parameter large: integers, the numbers of the groups that are written as *
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH grouped AS (
    SELECT UNNEST({{ texts | literal }}) AS level0, UNNEST({{ numbers | literal }}) AS number
)
{% if listed %}
, cells AS (
    SELECT
        number,
        CASE WHEN number IN ({{ large | literals }}) THEN ['*'] ELSE LIST(level0 ORDER BY level0) END AS cell
    FROM grouped
    GROUP BY number
)
SELECT level0, cell
FROM grouped
JOIN cells USING (number)
{% else %}
SELECT level0, {{ cells | literal }}[number] AS cell
FROM grouped
{% endif %}

-- name: is_grouped
-- Whether a value is in one of the groups.
--
-- missing: a missing value is in
--
-- takes: column
-- parameter table: relation, the table of grouped values
{{ column | identifier }} IS NULL
    OR CAST({{ column | identifier }} AS VARCHAR) IN (SELECT level0 FROM {{ table | relation }} AS grouped)

-- name: add_cells
-- The records with one more column.
--
-- parameter name: column, the view
-- parameter source: relation, the records
-- parameter columns: columns, of the records
-- parameter added: column, the new one
-- parameter cell: expression, its cell
CREATE OR REPLACE TEMP VIEW {{ name | identifier }} AS
SELECT
    record
{% for column in columns %}
    , {{ column | identifier }}
{% endfor %}
    , {{ cell | expression }} AS {{ added | identifier }}
FROM {{ source | relation }} AS records
