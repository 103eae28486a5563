-- neighbour_blocks
-- Makes the table of the candidates in blocks of bounded size, of records that are near each other.
--
-- definition: the records are cut into slices by the first attribute, each slice into slices by the next, and so on;
--   the last slices, in the order of the attributes left, into blocks (sort-tile-recursive packing)
-- source: Leutenegger, Lopez and Edgington, STR, ICDE 1997
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records with codes that differ
-- parameter columns: columns, the attributes, the one that tells most apart first
-- parameter levels: integer, how often slices are cut
-- parameter slices: integer, into how many
-- parameter size: integer, the most records of a block
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH slices0 AS (
    SELECT 0 AS slice, records.* FROM {{ source | relation }} AS records
)
{% for level in range(levels) %}
, slices{{ level + 1 }} AS (
    SELECT
        slice * {{ slices | literal }} + (ROW_NUMBER() OVER (PARTITION BY slice ORDER BY {% for column in columns[level:] %}{{ column | identifier }}, {% endfor %}record) - 1) * {{ slices | literal }} // COUNT(*) OVER (PARTITION BY slice) AS slice
        , cut.* EXCLUDE (slice)
    FROM slices{{ level }} AS cut
)
{% endfor %}
, numbered AS (
    SELECT
        (ROW_NUMBER() OVER (PARTITION BY slice ORDER BY {% for column in columns[levels:] %}{{ column | identifier }}, {% endfor %}record) - 1) // {{ size | literal }} AS part
        , cut.*
    FROM slices{{ levels }} AS cut
)
SELECT slice * (1 + MAX(part) OVER ()) + part AS block, numbered.* EXCLUDE (slice, part)
FROM numbered
