-- grid_masses
-- The mass that a release assigns to the combinations of the original, over one or two attributes with few values.
--
-- idea: the values of two attributes are a grid. A class covers rectangles of it: it adds its mass where one begins and
--   takes it away behind its end, along one attribute and then along the other. Running sums along both give the
--   mass of each point. A single attribute is a grid with one value of a second attribute, of number -1. All values of
--   an attribute that the release lacks have the same mass, so they are one value of the grid.
-- source: our own; prefix sums over two dimensions: Crow, Summed-area tables for texture mapping, 1984
-- runs: finish
-- reads: classes, numbered_combinations
-- makes: cell_ends, cells_of_classes, covered_combinations
--
-- parameter attributes: integers, the numbers of the attributes that the release has
-- parameter missing: integers, the numbers of the others

-- name: cells_of_classes
-- The cell of each class of a release in each attribute, with its size; classes are numbered.
--
-- definition: a cell that covers nothing is left out. An attribute that the release lacks has the cell 0
--
-- takes: attributes, missing
CREATE OR REPLACE TEMP TABLE cells_of_classes AS
WITH numbered AS (
    SELECT *, ROW_NUMBER() OVER () AS class
    FROM classes
),
cells AS (
    SELECT
        class,
        records,
        UNNEST([-1{% for i in attributes + missing %}, {{ i }}{% endfor %}]) AS attribute,
        UNNEST([0{% for i in attributes %}, cell{{ i }}{% endfor %}{% for i in missing %}, 0{% endfor %}]) AS cell,
        UNNEST([1{% for i in attributes + missing %}, s{{ i }}{% endfor %}]) AS size
    FROM numbered
)
SELECT * FROM cells WHERE size > 0

-- name: cell_ends
-- The values at which the cells of each attribute begin and behind which they end.
--
-- definition: "sign" is 1 at the first value of a run of neighbours that a cell covers, and -1 behind the last
--
-- takes: attributes, missing
-- parameter cells: texts, for each attribute of the release the values of the release with their coverage
-- parameter reach: texts, for each of these the cells of each value, in ways that are no intervals
CREATE OR REPLACE TEMP TABLE cell_ends AS
WITH reached AS (
    SELECT -1 AS attribute, 0 AS cell, 1 AS code
{% for i in attributes %}
    UNION
    SELECT {{ i }}, cell, code
    FROM {{ reach[loop.index0] | identifier }}
    WHERE layer NOT LIKE 'interval %'
{% endfor %}
),
stepped AS (
    SELECT
        attribute, cell, code, code - ROW_NUMBER() OVER (PARTITION BY attribute, cell ORDER BY code) AS island
    FROM reached
),
runs AS (
    SELECT attribute, cell, MIN(code) AS first, MAX(code) AS last
    FROM stepped
    GROUP BY attribute, cell, island
{% for i in attributes %}
    UNION ALL
    SELECT {{ i }}, cell, first, last
    FROM {{ cells[loop.index0] | identifier }}
    WHERE layer = 'all' OR layer LIKE 'interval %'
{% endfor %}
{% for i in missing %}
    UNION ALL
    SELECT {{ i }}, 0, 1, NULL
{% endfor %}
)
SELECT attribute, cell, first AS code, 1 AS sign FROM runs
UNION ALL
SELECT attribute, cell, last + 1, -1 FROM runs WHERE last IS NOT NULL

-- name: grid_masses
-- The combinations of the original over each of some attribute sets, with their mass in the release.
--
-- definition: a record of the release spreads its mass evenly over the combinations that its cells cover
-- missing: a missing value is a value like another
--
-- takes: missing
-- parameter first: integers, for each set the number of an attribute
-- parameter second: integers, for each set that of another; -1 for a set of one
-- parameter first_sizes: integers, for each set the number of values of the first in the grid
-- parameter second_sizes: integers, that of the second
-- parameter bits: integer, masses are whole numbers of two to the minus this, which add up alike in any order
-- parameter first_set: integer, the number of the first of these sets
-- parameter replace: flag, create the table of all sets; else append to it
{% if replace %}
CREATE OR REPLACE TEMP TABLE covered_combinations AS
{% else %}
INSERT INTO covered_combinations BY NAME
{% endif %}
WITH sets AS (
    SELECT
        UNNEST(RANGE({{ first_set }}, {{ first_set + first | length }})) AS number,
        UNNEST({{ first | literal }}) AS first,
        UNNEST({{ second | literal }}) AS second,
        UNNEST({{ first_sizes | literal }}) AS first_size,
        UNNEST({{ second_sizes | literal }}) AS second_size
),
pairs AS (
    SELECT
        sets.number,
        sets.first,
        sets.second,
        x.cell AS x,
        y.cell AS y,
        CAST(POWER(2.0, {{ bits }}) * (SUM(x.records) / CAST(MIN(x.size) * MIN(y.size) AS DOUBLE)) AS HUGEINT) AS mass
    FROM sets
    JOIN cells_of_classes AS x ON x.attribute = sets.first
    JOIN cells_of_classes AS y ON y.attribute = sets.second AND y.class = x.class
    GROUP BY sets.number, sets.first, sets.second, x.cell, y.cell
),
halves AS (
    SELECT pairs.number, pairs.first, pairs.x, ends.code AS y, SUM(pairs.mass * ends.sign) AS mass
    FROM pairs
    JOIN cell_ends AS ends ON ends.attribute = pairs.second AND ends.cell = pairs.y
    GROUP BY pairs.number, pairs.first, pairs.x, ends.code
),
changes AS (
    SELECT halves.number, ends.code AS x, halves.y, SUM(halves.mass * ends.sign) AS mass
    FROM halves
    JOIN cell_ends AS ends ON ends.attribute = halves.first AND ends.cell = halves.x
    GROUP BY halves.number, ends.code, halves.y
),
lines AS (
    SELECT number, second_size, UNNEST(RANGE(1, first_size + 1)) AS x
    FROM sets
),
points AS (
    SELECT number, x, UNNEST(RANGE(1, second_size + 1)) AS y
    FROM lines
),
across AS (
    SELECT
        points.number,
        points.x,
        points.y,
        SUM(changes.mass) OVER (
            PARTITION BY points.number, points.x ORDER BY points.y ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS mass
    FROM points
    LEFT JOIN changes ON changes.number = points.number AND changes.x = points.x AND changes.y = points.y
),
masses AS (
    SELECT
        number,
        x,
        y,
        SUM(mass) OVER (
            PARTITION BY number, y ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS mass
    FROM across
),
originals AS (
{% for i in first %}
{% set j = second[loop.index0] %}
    SELECT
        {{ first_set + loop.index0 }} AS number,
        {% if i in missing %}1{% else %}code{{ i }}{% endif %} AS x,
        {% if j < 0 or j in missing %}1{% else %}code{{ j }}{% endif %} AS y,
        CAST(SUM(records) AS BIGINT) AS records
    FROM numbered_combinations
    GROUP BY code{{ i }}{% if j >= 0 %}, code{{ j }}{% endif %}

{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT
    originals.number,
    originals.records,
    COALESCE(CAST(masses.mass AS DOUBLE) / POWER(2.0, {{ bits }}), 0) AS mass,
    COUNT(*) AS combinations
FROM originals
JOIN masses ON masses.number = originals.number AND masses.x = originals.x AND masses.y = originals.y
GROUP BY originals.number, originals.records, masses.mass
