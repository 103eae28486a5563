-- neighbours
-- Exact nearest neighbours of records, without a table of all pairs.
--
-- idea: equal records are one, and their nearest is found by equality; the candidates lie in blocks of near ones, and
--   a block is looked at only where its box is not further than a candidate that is known already.
-- source: blocks: Leutenegger, Lopez and Edgington, STR, ICDE 1997; distance: PWS Cup 2020
-- runs: finish
--
-- parameter name: column, the table
-- parameter codes: relation, the table of codes
-- parameter source: relation, the records with codes
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter candidates: relation, in blocks
-- parameter boxes: relation, of the blocks
-- parameter keys: columns, the numbers and the words of packed codes
-- parameter to_record: expression, the squared distance of asked and candidate
-- parameter to_box: expression, the bound of asked and box
-- parameter to_box_first: expression or none, its first summands alone, where it has many

-- name: neighbour_codes
-- Creates the table of codes: the values of each category in two tables of records, numbered from 0.
--
-- missing: there are no missing values; they were refused before
--
-- takes: name
-- parameter tables: texts, the two tables of records
-- parameter columns: columns, the categories
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH found AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT {{ loop.index0 }} AS place, value
    FROM (
{% for table in tables %}
{% if not loop.first %}
        UNION
{% endif %}
        SELECT {{ column | identifier }} AS value FROM {{ table | relation }} AS records
        GROUP BY {{ column | identifier }}
{% endfor %}
    ) AS values_of_{{ loop.index0 }}
{% endfor %}
)
SELECT place, value, ROW_NUMBER() OVER (PARTITION BY place ORDER BY value) - 1 AS code
FROM found

-- name: count_codes
-- The number of values of each category in the table of codes.
--
-- takes: codes
SELECT place, COUNT(*) AS codes
FROM {{ codes | relation }} AS codes
GROUP BY place
ORDER BY place

-- name: neighbour_records
-- Creates a table of records with their categories as codes, and the codes packed into words.
--
-- definition: a category takes a field of a word: its code, and above it a bit that is 0. Of two words that are the
--   same but for some fields, (xor + (highest code of each field)) has that bit set in these fields alone.
-- missing: there are no missing values; they were refused before
--
-- takes: name, codes, numeric, categories
-- parameter source: relation, the records
-- parameter words: integers, for each category the number of its word
-- parameter code_factors: integers, for each category the factor of its code
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    records.record
{% for column in numeric %}
    , records.{{ column | identifier }} + 0.0 AS {{ column | identifier }}
{% endfor %}
{% for column in categories %}
    , CAST(codes{{ loop.index0 }}.code AS INTEGER) AS {{ column | identifier }}
{% endfor %}
{% for word in range(words | max + 1 if words else 0) %}
    , CAST(0 AS BIGINT){% for column in categories %}{% if words[loop.index0] == word %} + codes{{ loop.index0 }}.code
        * {{ code_factors[loop.index0] | literal }}{% endif %}{% endfor %} AS p{{ word + 1 }}
{% endfor %}
FROM {{ source | relation }} AS records
{% for column in categories %}
JOIN {{ codes | relation }} AS codes{{ loop.index0 }}
    ON codes{{ loop.index0 }}.place = {{ loop.index0 }}
        AND codes{{ loop.index0 }}.value = records.{{ column | identifier }}
{% endfor %}

-- name: different_records
-- Creates a table of the distinct records, each represented by the first of its equals.
--
-- takes: name, source, numeric, categories
-- parameter words: columns, of packed codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    MIN(record) AS record
{% for column in numeric %}
    , {{ column | identifier }}
{% endfor %}
{% for column in categories %}
    , MIN({{ column | identifier }}) AS {{ column | identifier }}
{% endfor %}
{% for column in words %}
    , {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }} AS records
GROUP BY {% for column in numeric + words %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

-- name: attribute_spread
-- The mean contribution of each attribute to the squared distance of two random records.
--
-- takes: source, numeric, categories
-- parameter weight: number, squared distance of different categories
{% for column in numeric %}
{% if not loop.first %}
UNION ALL
{% endif %}
SELECT {{ loop.index0 }} AS place, 2 * VAR_POP({{ column | identifier }}) AS spread, COUNT(*) AS records
FROM {{ source | relation }} AS records
{% endfor %}
{% for column in categories %}
{% if numeric or not loop.first %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 + numeric | length }} AS place
    , {{ weight | literal }}
        * (1 - SUM(CAST(records AS DOUBLE) * records) / NULLIF(SUM(records) * CAST(SUM(records) AS DOUBLE), 0))
        AS spread
    , CAST(SUM(records) AS BIGINT) AS records
FROM (SELECT COUNT(*) AS records FROM {{ source | relation }} AS records GROUP BY {{ column | identifier }}) AS counted
{% endfor %}
ORDER BY spread DESC NULLS LAST, place

-- name: neighbour_blocks
-- Creates the table of the candidates in blocks of bounded size, of records near each other.
--
-- definition: the records are cut into slices by the first attribute, each slice into slices by the next, and so on;
--   the last slices, in the order of the attributes left, into blocks (sort-tile-recursive packing)
-- source: Leutenegger, Lopez and Edgington, STR, ICDE 1997
--
-- takes: name
-- parameter source: relation, the records with codes that differ
-- parameter columns: columns, the attributes, the most discriminating first
-- parameter levels: integer, how often slices are cut
-- parameter slices: integer, number of slices
-- parameter size: integer, the most records of a block
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH slices0 AS (
    SELECT 0 AS slice, records.* FROM {{ source | relation }} AS records
)
{% for level in range(levels) %}
, slices{{ level + 1 }} AS (
    SELECT
        slice * {{ slices | literal }}
            + (ROW_NUMBER() OVER (
            PARTITION BY slice
            ORDER BY {% for column in columns[level:] %}{{ column | identifier }}, {% endfor %}record) - 1)
            * {{ slices | literal }} // COUNT(*) OVER (PARTITION BY slice) AS slice
        , cut.* EXCLUDE (slice)
    FROM slices{{ level }} AS cut
)
{% endfor %}
, numbered AS (
    SELECT
        (ROW_NUMBER() OVER (
            PARTITION BY slice
            ORDER BY {% for column in columns[levels:] %}{{ column | identifier }}, {% endfor %}record) - 1)
            // {{ size | literal }} AS part
        , cut.*
    FROM slices{{ levels }} AS cut
)
SELECT slice * (1 + MAX(part) OVER ()) + part AS block, numbered.* EXCLUDE (slice, part)
FROM numbered

-- name: neighbour_boxes
-- Creates the table of boxes: the minimum and the maximum of each attribute in each block.
--
-- takes: name
-- parameter source: relation, the candidates in blocks
-- parameter columns: columns, the attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    block
{% for column in columns %}
    , MIN({{ column | identifier }}) AS {{ ('least_' ~ column) | identifier }}
    , MAX({{ column | identifier }}) AS {{ ('greatest_' ~ column) | identifier }}
{% endfor %}
FROM {{ source | relation }} AS candidates
GROUP BY block

-- name: neighbour_bounds
-- Creates the table of query records, each with an upper bound on its distance to the nearest candidate.
--
-- definition: 0 where a candidate is equal; else the least distance to those of the block whose box is nearest, by
--   the first summands alone where there are many: any block gives a bound. They lie in the order of these blocks:
--   those that look at the same blocks are looked up together, which takes 0.6 of the time
--
-- takes: name, candidates, boxes, keys, to_record, to_box, to_box_first
-- parameter records: relation, whose nearest is asked for, with codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH matched AS (
    SELECT asked.record, candidate.block
    FROM {{ records | relation }} AS asked
    JOIN {{ candidates | relation }} AS candidate
        ON {% for key in keys %}{% if not loop.first %} AND {% endif %}asked.{{ key | identifier }}
            = candidate.{{ key | identifier }}{% endfor %}

),
open AS (
    SELECT asked.*
    FROM {{ records | relation }} AS asked
    WHERE NOT EXISTS (SELECT 1 FROM matched WHERE matched.record = asked.record)
),
nearest_box AS (
    SELECT asked.record,
        ARG_MIN(box.block,
        {% if to_box_first is none %}{{ to_box | expression }}{% else %}{{ to_box_first | expression }}{% endif %})
        AS block
    FROM open AS asked
    CROSS JOIN {{ boxes | relation }} AS box
    GROUP BY asked.record
),
bounds AS (
    SELECT record, block, 0.0::DOUBLE AS bound FROM matched
    UNION ALL
    SELECT asked.record, MIN(nearest_box.block) AS block, MIN({{ to_record | expression }}) AS bound
    FROM nearest_box
    JOIN open AS asked ON asked.record = nearest_box.record
    JOIN {{ candidates | relation }} AS candidate ON candidate.block = nearest_box.block
    GROUP BY asked.record
)
SELECT asked.*, bounds.bound
FROM {{ records | relation }} AS asked
JOIN bounds ON bounds.record = asked.record
ORDER BY bounds.block

-- name: near_records
-- Creates the table of the nearest candidate of each distinct record, exactly.
--
-- definition: of candidates that are equally near the first. Blocks whose box is further than the bound are not
--   looked at; the pairs of the others stream through and are never stored. A condition on the first summands does not
--   save the others, which are computed anyway: CASE does.
--
-- takes: name, candidates, boxes, to_record, to_box, to_box_first
-- parameter records: relation, whose nearest is asked for, with bounds
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH looked_at AS (
    SELECT asked.*, box.block
    FROM {{ records | relation }} AS asked
    JOIN {{ boxes | relation }} AS box
        ON {% if to_box_first is not none %}CASE WHEN {{ to_box_first | expression }} > asked.bound THEN FALSE
        ELSE {% endif %}{{ to_box | expression }} <= asked.bound{% if to_box_first is not none %} END{% endif %}

),
pairs AS (
    SELECT asked.record, candidate.record AS neighbour, asked.bound, {{ to_record | expression }} AS squared_distance
    FROM looked_at AS asked
    JOIN {{ candidates | relation }} AS candidate ON candidate.block = asked.block
)
SELECT
    record
    , ARG_MIN(neighbour, ROW(squared_distance, neighbour)) AS neighbour
    , MIN(squared_distance) AS squared_distance
FROM pairs
WHERE squared_distance <= bound
GROUP BY record

-- name: nearest_of_all
-- Creates the table of the nearest candidate of every record, equal ones included.
--
-- takes: name, keys
-- parameter source: relation, all records with codes
-- parameter different: relation, those that differ
-- parameter nearest: relation, the nearest of the latter
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT records.record, nearest.neighbour, nearest.squared_distance
FROM {{ source | relation }} AS records
JOIN {{ different | relation }} AS different
    ON {% for key in keys %}{% if not loop.first %} AND {% endif %}records.{{ key | identifier }}
        = different.{{ key | identifier }}{% endfor %}

JOIN {{ nearest | relation }} AS nearest ON nearest.record = different.record
