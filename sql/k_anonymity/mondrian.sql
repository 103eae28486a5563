-- mondrian
-- Mondrian, strict: groups are cut at the median of their widest quasi-identifier, all groups of a level at once.
--
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006
-- runs: finish
-- reads: quasi_classes, quasi_tuples
-- makes: quasi_cuts, quasi_open, quasi_parts, quasi_widths
--
-- parameter columns: columns, the quasi-identifiers
-- parameter k: integer, the least records of a class

-- name: mondrian_begin
-- Starts with all tuples as one group.
--
-- takes: columns
CREATE OR REPLACE TEMP TABLE quasi_open AS
SELECT
    tuple,
    CAST(0 AS BIGINT) AS part,
    n
{% for column in columns %}
    , a{{ loop.index0 }} AS x{{ loop.index0 }}
{% endfor %}
FROM quasi_tuples

-- name: mondrian_widths
-- The width of each group to be split in each quasi-identifier.
--
-- definition: width = greatest minus least number, as a share of the range of all; for categories the distance of the
--   first and the last in the order of the leaves, as a share of that of all
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006
-- missing: a missing value is a value of its own, before all others; a group of numbers with one is as wide as can be
--
-- parameter heights: integers, the level of each root, 0 for numbers without a hierarchy
-- parameter leaves: integers, number of leaves of each quasi-identifier
-- parameter tables: columns, the tables of numbered values
CREATE OR REPLACE TEMP TABLE quasi_widths AS
WITH boxes AS (
    SELECT
        part
{% for height in heights %}
        , MIN(x{{ loop.index0 }}) AS lo{{ loop.index0 }}
        , MAX(x{{ loop.index0 }}) AS hi{{ loop.index0 }}
{% endfor %}
    FROM quasi_open
    GROUP BY part
),
long AS (
{% for height in heights %}
{% set i = loop.index0 %}
    SELECT
        part,
        {{ i }} AS attribute,
{% if height %}
        CAST(hi{{ i }} - lo{{ i }} AS DOUBLE) / {{ [leaves[i] - 1, 1] | max }} AS width
    FROM boxes
{% else %}
        CASE WHEN lo{{ i }} = hi{{ i }} THEN 0 WHEN l.place < 0 OR h.place > 1 THEN 1
            ELSE h.place - l.place END AS width
    FROM boxes
    JOIN {{ tables[i] | identifier }} AS l ON l.code = boxes.lo{{ i }}
    JOIN {{ tables[i] | identifier }} AS h ON h.code = boxes.hi{{ i }}
{% endif %}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT part, attribute, width FROM long

-- name: mondrian_begin_cuts
-- Starts without any cut.
CREATE OR REPLACE TEMP TABLE quasi_cuts (part BIGINT, attribute INTEGER, cut INTEGER, below BIGINT, records BIGINT)

-- name: mondrian_cuts
-- The median cuts of each group that keep at least k records on both sides.
--
-- definition: the median is the least value that at least half of the records do not exceed; they go to the left
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006 (strict)
--
-- takes: k
-- parameter attribute: integer, which quasi-identifier
INSERT INTO quasi_cuts
WITH counted AS (
    SELECT part, x{{ attribute }} AS code, SUM(n) AS n
    FROM quasi_open
    GROUP BY part, x{{ attribute }}

),
summed AS (
    SELECT
        part,
        code,
        SUM(n) OVER (PARTITION BY part ORDER BY code) AS below,
        SUM(n) OVER (PARTITION BY part) AS records
    FROM counted
)
SELECT part, {{ attribute }}, MIN(code), CAST(MIN(below) AS BIGINT), CAST(MIN(records) AS BIGINT)
FROM summed
WHERE below * 2 >= records
GROUP BY part
-- The left side has at least as many as the right one.
HAVING MIN(records) - MIN(below) >= {{ k }}

-- name: mondrian_parts
-- The cut of each group that can be cut: that of its widest quasi-identifier, of equal ones the first.
--
-- source: LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006 (strict)
--
-- parameter made: integer, number of groups before
CREATE OR REPLACE TEMP TABLE quasi_parts AS
WITH ranked AS (
    SELECT
        quasi_cuts.*,
        ROW_NUMBER() OVER (PARTITION BY part ORDER BY width DESC, attribute) AS place
    FROM quasi_cuts
    JOIN quasi_widths USING (part, attribute)
)
SELECT part, attribute, cut, below, records - below AS above, {{ made }} + 2 * ROW_NUMBER() OVER (ORDER BY part) AS made
FROM ranked
WHERE place = 1

-- name: mondrian_count_parts
-- Counts the groups that were cut.
SELECT COUNT(*) AS parts
FROM quasi_parts

-- name: mondrian_next
-- The tuples of the groups that can still be cut, or of the finished groups.
--
-- definition: a group is done that cannot be cut, or has fewer than 2k records
--
-- takes: columns, k
-- parameter open: flag, the groups that can still be cut; else the finished ones
{% if open %}
CREATE OR REPLACE TEMP TABLE quasi_open AS
{% else %}
INSERT INTO quasi_classes
{% endif %}
WITH sided AS (
    SELECT
        one.*,
        parts.made,
        parts.below,
        parts.above,
        CASE attribute{% for column in columns %} WHEN {{ loop.index0 }} THEN x{{ loop.index0 }}{% endfor %} END <= cut
            AS is_below
    FROM quasi_open AS one
    LEFT JOIN quasi_parts AS parts USING (part)
),
cut AS (
    SELECT
        *,
        CASE WHEN made IS NULL THEN part WHEN is_below THEN made - 1 ELSE made END AS place,
        made IS NOT NULL AND CASE WHEN is_below THEN below ELSE above END >= {{ 2 * k }} AS is_open
    FROM sided
)
SELECT
    tuple,
    place AS part,
    n
{% if open %}
{% for column in columns %}
    , x{{ loop.index0 }}
{% endfor %}
{% endif %}
FROM cut
WHERE is_open = {{ open | literal }}
