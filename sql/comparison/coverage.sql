-- coverage
-- The values of the original that each generalised value of a release covers, column by column.
--
-- idea: the values of a column of the original are numbered; a cell of the release (a value, *, an interval, a prefix,
--   a moment, a name of a hierarchy) covers some of them. Cells of one way of generalising (a layer) do not overlap,
--   so a value has one cell in each layer at most, and to be covered is equality of packed numbers. A column whose
--   intervals or sets overlap is compared by ranges: each cell is the runs of neighbours that it covers.
-- source: our own
-- runs: finish
--
-- parameter hierarchy: relation or none, the table with a name a level for each value
-- parameter table: column, the table that is made
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the values of the release with their coverage
-- parameter names: column, the texts of the values
-- parameter listed: flag, the values of the release are lists, each the set of its members

-- name: original_leaves
-- Numbers the distinct values of a column of the original: the leaves that a value of a release can cover.
--
-- definition: numbers and moments in their order, then texts in theirs, so that an interval covers a range of
--   leaves; a missing value is a leaf of its own, and so, last of all, is a text that only the hierarchy names
--
-- takes: hierarchy, table
-- parameter source: relation, the original
-- parameter column: column, whose values are numbered
-- parameter order_kind: text, the kind of order: number, moment or text
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value FROM {{ source | relation }}
),
counted AS (
    SELECT value, COUNT(*) AS records
    FROM records
    GROUP BY value
{% if hierarchy is not none and order_kind == "text" %}
    UNION ALL
    SELECT path.level0, 0
    FROM {{ hierarchy | relation }} AS path
    WHERE NOT EXISTS (SELECT 1 FROM records WHERE CAST(records.value AS VARCHAR) = path.level0)
{% endif %}
),
named AS (
    SELECT
        value,
        CAST(value AS VARCHAR) AS name,
{% if order_kind == "number" %}
        CAST(value AS DOUBLE) AS place,
{% elif order_kind == "moment" %}
        CAST(EPOCH_US(TRY_CAST(value AS TIMESTAMP)) AS DOUBLE) AS place,
{% else %}
        CAST(NULL AS DOUBLE) AS place,
{% endif %}
        records
    FROM counted
)
SELECT
    named.value,
    named.name,
    named.place,
    named.records,
    ROW_NUMBER() OVER (
        ORDER BY
            (named.records = 0),
            (named.value IS NULL),
            named.place NULLS LAST,
{% if order_kind == "number" %}
            named.value,
{% endif %}
            named.name
    ) AS code
FROM named

-- name: original_values
-- The number of distinct values of a column of the original, a missing value counting as one.
--
-- parameter table: column, the numbered values
SELECT COUNT(*) AS leaves FROM {{ table | identifier }}

-- name: plain_cells
-- The values of a column of a release that occur in the original: each covers itself.
--
-- definition: the number of a cell is that of its value ("code"); of a cell that is no value of the original it is
--   null, and the column is then looked at by the steps that follow
--
-- takes: leaves, listed, table
-- parameter source: relation, the release
-- parameter column: column, whose cells they are
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value FROM {{ source | relation }}
),
counted AS (
    SELECT
        value,
{% if listed %}
-- include: name_of_list
{% else %}
        CAST(value AS VARCHAR) AS name,
{% endif %}
        COUNT(*) AS records
    FROM records
    GROUP BY value
)
SELECT
    counted.value,
    counted.name,
    counted.records,
    leaves.code AS cell,
    leaves.code AS code,
    'value' AS layer,
    1 AS size,
    leaves.code AS first,
    leaves.code AS last,
    2 * leaves.code AS middle,
    CAST(NULL AS DOUBLE) AS sort_value
FROM counted
LEFT JOIN {{ leaves | identifier }} AS leaves ON (leaves.name IS NOT DISTINCT FROM counted.name)

-- name: plain_column
-- Whether each value of a column of a release is one value of the original, and the number of values.
--
-- definition: then none of them lost anything; the other columns are those of release_cell_losses
--
-- parameter table: column, the cells, null where one is none
-- parameter records: integer, of the release
SELECT
    COUNT(cell) = COUNT(*) AND SUM(records) = {{ records }} AS plain,
    COUNT(*) AS cells,
    CAST(0 AS DOUBLE) AS ncp,
    CAST(SUM(records) AS BIGINT) AS unchanged,
    0 AS suppressed,
    0 AS generalised,
    0 AS false_cells,
    CAST(COALESCE(SUM(CASE WHEN value IS NULL THEN records END), 0) AS BIGINT) AS missing
FROM {{ table | identifier }}

-- name: bounded_values
-- A release with a column of intervals for each pair of columns that bound a column of the original.
--
-- definition: both ends are included; without one of them the cell covers everything
--
-- takes: table
-- parameter source: relation, the release
-- parameter low: columns, the lower bounds
-- parameter high: columns, the upper bound to each
CREATE OR REPLACE TEMP VIEW {{ table | identifier }} AS
SELECT
    *{% for column in low %},
    CASE
        WHEN {{ column | identifier }} IS NULL OR {{ high[loop.index0] | identifier }} IS NULL THEN '*'
        WHEN {{ column | identifier }} = {{ high[loop.index0] | identifier }}
        THEN CAST({{ column | identifier }} AS VARCHAR)
        ELSE '[' || {{ column | identifier }} || ', ' || {{ high[loop.index0] | identifier }} || ']'
    END AS between_{{ loop.index0 }}{% endfor %}

FROM {{ source | relation }}

-- name: release_values
-- Numbers the distinct values of a column of a release, and parses the ends of intervals.
--
-- definition: an end is inside where its bracket is turned to the interval, as both of "[20, 35]" and the first of
--   "[30, 40[" and "[30, 40)"; of numbers also "20-35" and "20..35" with both, ">=65", "65+", ">64", "<=19", "<20";
--   a set is "{a, b}" or "{a; b}"; a truth value, a moment or a number that is written as in the original is that one
--
-- takes: listed, table
-- parameter source: relation, the release
-- parameter column: column, whose cells are numbered
-- parameter records: column or none, number of records that a row stands for; none takes each as one
-- parameter order_kind: text, the kind of the ends of an interval: number, moment or text
-- parameter kind: text, the type of the column in the original
-- parameter written: expression or none, reads a value that is written as in the file of the original
{% set number = "(-?[0-9]+(?:[.][0-9]+)?)" %}
{% set forms = [
    ["^" ~ number ~ " ?(?:-|–|[.][.]) ?" ~ number ~ "$", "[\\1, \\2]"],
    ["^(?:>=|≥) ?" ~ number ~ "$", "[\\1, Infinity]"],
    ["^" ~ number ~ " ?[+]$", "[\\1, Infinity]"],
    ["^> ?" ~ number ~ "$", "(\\1, Infinity]"],
    ["^(?:<=|≤) ?" ~ number ~ "$", "[-Infinity, \\1]"],
    ["^< ?" ~ number ~ "$", "[-Infinity, \\1)"],
] if order_kind == "number" else [] %}
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ column | identifier }} AS value{% if records %}, {{ records | identifier }} AS many{% endif %}
    FROM {{ source | relation }}
),
counted AS (
    SELECT
        value,
{% if listed %}
-- include: name_of_list
{% elif kind == "BOOLEAN" %}
        COALESCE(CAST(TRY_CAST(CAST(value AS VARCHAR) AS BOOLEAN) AS VARCHAR), CAST(value AS VARCHAR)) AS name,
{% elif written is not none %}
        COALESCE(CAST({{ written | expression }} AS VARCHAR), CAST(value AS VARCHAR)) AS name,
{% else %}
        CAST(value AS VARCHAR) AS name,
{% endif %}
        {% if records %}CAST(SUM(many) AS BIGINT){% else %}COUNT(*){% endif %} AS records
    FROM records
    GROUP BY value
),
bracketed AS (
    SELECT value, name, records,
        {% for form in forms %}REGEXP_REPLACE({% endfor %}name{% for pattern, form in forms %}, {{ pattern | literal }},
        {{ form | literal }}){% endfor %} AS written
    FROM counted
),
taken AS (
    SELECT
        value,
        name,
        records,
        CASE WHEN REGEXP_MATCHES(written, '^[][(]')
            THEN REGEXP_EXTRACT(written, '^([][(])(.+)[,;] ?(.+)([])[])$', ['start', 'low', 'high', 'end']) END AS ends
    FROM bracketed
)
SELECT
    value,
    name,
    records,
    ROW_NUMBER() OVER (ORDER BY name NULLS LAST, CAST(value AS VARCHAR)) AS cell,
{% if order_kind == "number" %}
    TRY_CAST(ends.low AS DOUBLE) AS low,
    TRY_CAST(ends.high AS DOUBLE) AS high,
    TRY_CAST(name AS DOUBLE) AS place,
    COALESCE(TRY_CAST(name AS DOUBLE), TRY_CAST(ends.low AS DOUBLE) / 2 + TRY_CAST(ends.high AS DOUBLE) / 2) AS stands,
{% elif order_kind == "moment" %}
    CAST(EPOCH_US(TRY_CAST(ends.low AS TIMESTAMP)) AS DOUBLE) AS low,
    CAST(EPOCH_US(TRY_CAST(ends.high AS TIMESTAMP)) AS DOUBLE) AS high,
    CASE WHEN LENGTH(name) > 10 THEN CAST(EPOCH_US(TRY_CAST(name AS TIMESTAMP)) AS DOUBLE) END AS place,
    CAST(EPOCH_US(TRY_CAST(name AS TIMESTAMP)) AS DOUBLE) AS stands,
{% else %}
    CAST(NULL AS DOUBLE) AS low,
    CAST(NULL AS DOUBLE) AS high,
    CAST(NULL AS DOUBLE) AS place,
    CAST(NULL AS DOUBLE) AS stands,
{% endif %}
    COALESCE(ends.start <> '[', FALSE) AS open,
    COALESCE(ends.end = ']', FALSE) AS closed,
{% if listed %}
    CAST(value AS VARCHAR[]) AS members
{% else %}
    CASE WHEN STARTS_WITH(name, '{') AND ENDS_WITH(name, '}')
        THEN STRING_SPLIT(REPLACE(REPLACE(SUBSTR(name, 2, LENGTH(name) - 2), '; ', ';'), ', ', ';'), ';') END AS members
{% endif %}
FROM taken

-- name: leaf_names
-- The labels of each value of the original under the generalisations that a release can use.
--
-- definition: by itself, by a prefix of each length that a cell has, by the day, week, month, quarter and year of a
--   moment, and by the levels of a hierarchy; two names of one way cover no value in common
--
-- takes: leaves, hierarchy, table
-- parameter cells: column, the numbered cells of the release
-- parameter order_kind: text, the kind of order: number, moment or text
-- parameter height: integer or none, the highest level of the hierarchy
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT * FROM {{ leaves | identifier }}
),
lengths AS (
    SELECT DISTINCT LENGTH(name) - 1 AS characters
    FROM {{ cells | identifier }}
    WHERE name LIKE '_%*'
)
SELECT 'value' AS layer, 0 AS priority, code, name
FROM leaves
{% if order_kind != "text" %}
UNION ALL
-- The same value in another spelling, as 20.0 for 20.
SELECT 'value', 1, MIN(leaves.code), cells.name
FROM leaves
JOIN {{ cells | identifier }} AS cells ON cells.place = leaves.place
GROUP BY cells.name
{% endif %}
UNION ALL
SELECT 'prefix ' || lengths.characters, 4, leaves.code, SUBSTR(leaves.name, 1, lengths.characters) || '*'
FROM leaves, lengths
WHERE LENGTH(leaves.name) > lengths.characters
{% if order_kind == "moment" %}
{% for unit, format in [("day", "%Y-%m-%d"), ("week", "%G-W%V"), ("month", "%Y-%m"), ("year", "%Y")] %}
UNION ALL
SELECT {{ unit | literal }}, 5, code, STRFTIME(MAKE_TIMESTAMP(CAST(place AS BIGINT)), {{ format | literal }})
FROM leaves
WHERE place IS NOT NULL
{% endfor %}
UNION ALL
SELECT 'quarter', 5, code, STRFTIME(MAKE_TIMESTAMP(CAST(place AS BIGINT)), '%Y-Q')
    || QUARTER(MAKE_TIMESTAMP(CAST(place AS BIGINT)))
FROM leaves
WHERE place IS NOT NULL
{% endif %}
{% if hierarchy is not none %}
{% for level in range(1, height + 1) %}
UNION ALL
SELECT 'level {{ level }}', {{ level + 5 }}, leaves.code, path.level{{ level }}
FROM leaves
JOIN {{ hierarchy | relation }} AS path ON path.level0 = leaves.name
{% endfor %}
{% endif %}

-- name: release_cells
-- The coverage of each distinct value of a release: the generalisation, the number of values and their range.
--
-- definition: the first of these that covers a value: the value itself, "*" (everything; so does a missing value if
--   the original has none), an interval in brackets, a prefix, a moment, a label of a hierarchy, an interval in
--   another form, a set of values. A value that covers nothing is false. "middle" is twice the position of a value of
--   the release: the middle of what it covers; for a false one between its neighbours, in the order of "sort_value".
--   Values outside the order of numbers or moments come last
--
-- takes: leaves, names, table
-- parameter cells: column, the numbered cells of the release
-- parameter has_ends: flag, the values are numbers or moments, so that cells can be intervals
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT * FROM {{ leaves | identifier }}
),
totals AS (
    SELECT COUNT(*) AS leaves, ANY_VALUE(CASE WHEN value IS NULL THEN code END) AS missing
    FROM leaves
),
{% if has_ends %}
placed AS (
    SELECT place, MIN(code) AS first, MAX(code) AS last
    FROM leaves
    WHERE place IS NOT NULL
    GROUP BY place
),
{% endif %}
by_name AS (
    SELECT cells.cell, names.priority, names.layer, COUNT(*) AS size, MIN(names.code) AS first, MAX(names.code) AS last
    FROM {{ cells | identifier }} AS cells
    JOIN {{ names | identifier }} AS names ON names.name = cells.name
    GROUP BY cells.cell, names.priority, names.layer
),
members AS (
    SELECT cell, UNNEST(members) AS name
    FROM {{ cells | identifier }}
),
sets AS (
    SELECT members.cell, COUNT(DISTINCT leaves.code) AS size, MIN(leaves.code) AS first, MAX(leaves.code) AS last
    FROM members
    JOIN leaves ON leaves.name IS NOT DISTINCT FROM members.name
    GROUP BY members.cell
),
{% if has_ends %}
starts AS (
    SELECT cells.cell, cells.name, cells.high - cells.low AS width, cells.open, cells.closed, cells.high, placed.first
    FROM {{ cells | identifier }} AS cells
    ASOF JOIN placed ON placed.place >= cells.low
    WHERE cells.low IS NOT NULL AND cells.high IS NOT NULL AND NOT cells.open
    UNION ALL
    SELECT cells.cell, cells.name, cells.high - cells.low, cells.open, cells.closed, cells.high, placed.first
    FROM {{ cells | identifier }} AS cells
    ASOF JOIN placed ON placed.place > cells.low
    WHERE cells.low IS NOT NULL AND cells.high IS NOT NULL AND cells.open
),
ended AS (
    SELECT starts.*, placed.last
    FROM starts
    ASOF JOIN placed ON placed.place <= starts.high
    WHERE starts.closed
    UNION ALL
    SELECT starts.*, placed.last
    FROM starts
    ASOF JOIN placed ON placed.place < starts.high
    WHERE NOT starts.closed
),
{% endif %}
found AS (
    SELECT * FROM by_name
    UNION ALL
    SELECT cells.cell, 2, 'all', totals.leaves, 1, totals.leaves
    FROM {{ cells | identifier }} AS cells, totals
    WHERE cells.name = '*' OR (cells.name IS NULL AND totals.missing IS NULL)
    UNION ALL
    SELECT cells.cell, 0, 'value', 1, totals.missing, totals.missing
    FROM {{ cells | identifier }} AS cells, totals
    WHERE cells.name IS NULL AND totals.missing IS NOT NULL
{% if has_ends %}
    UNION ALL
    SELECT
        cell,
        CASE WHEN REGEXP_MATCHES(name, '^[][(]') THEN 3 ELSE 1000 END,
        'interval ' || width
            || CASE WHEN open AND closed THEN ' open' WHEN open THEN ' without ends' WHEN closed THEN ''
            ELSE ' half-open' END,
        last - first + 1,
        first,
        last
    FROM ended
    WHERE last >= first
{% endif %}
    UNION ALL
    SELECT cell, 1001, 'set', size, first, last
    FROM sets
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY cell ORDER BY priority, layer) AS choice
    FROM found
),
texts AS (
    SELECT name, MAX(code) AS code
    FROM leaves
    WHERE value IS NOT NULL AND records > 0{% if has_ends %} AND NOT EXISTS (SELECT 1 FROM placed){% endif %}

    GROUP BY name
),
unranked AS (
    SELECT
        cells.cell,
{% if has_ends %}
        CASE
            WHEN below.place = cells.stands THEN below.first + below.last
            WHEN cells.stands IS NOT NULL THEN 2 * COALESCE(below.last, 0) + 1
            WHEN EXISTS (SELECT 1 FROM placed) THEN COALESCE(2 * totals.missing, 2 * totals.leaves + 1)
            ELSE 2 * COALESCE(before.code, 0) + 1
        END AS middle,
        CASE
            WHEN cells.stands IS NOT NULL THEN cells.stands
            WHEN NOT EXISTS (SELECT 1 FROM placed) THEN CAST(cells.cell AS DOUBLE)
        END AS sort_value
{% else %}
        2 * COALESCE(before.code, 0) + 1 AS middle,
        CAST(cells.cell AS DOUBLE) AS sort_value
{% endif %}
    FROM {{ cells | identifier }} AS cells
    ANTI JOIN ranked ON ranked.cell = cells.cell
{% if has_ends %}
    CROSS JOIN totals
    ASOF LEFT JOIN placed AS below ON below.place <= cells.stands
{% endif %}
    ASOF LEFT JOIN texts AS before ON before.name <= cells.name
)
SELECT
    cells.value,
    cells.name,
    cells.records,
    cells.cell,
    cells.low,
    cells.high,
    cells.members,
    COALESCE(ranked.layer, 'false') AS layer,
    COALESCE(ranked.size, 0) AS size,
    COALESCE(ranked.first, 0) AS first,
    COALESCE(ranked.last, -1) AS last,
    COALESCE(ranked.first + ranked.last, unranked.middle) AS middle,
    unranked.sort_value
FROM {{ cells | identifier }} AS cells
LEFT JOIN unranked ON unranked.cell = cells.cell
LEFT JOIN ranked ON ranked.cell = cells.cell AND ranked.choice = 1

-- name: cell_layers
-- The generalisations in use in a column of a release, and whether values of one overlap.
--
-- definition: values of the release overlap if one begins before the end of a previous one; "covered" is the mean
--   number of covered values over the records
--
-- parameter table: column, the values of the release with their coverage
WITH ordered AS (
    SELECT
        layer,
        records,
        size,
        first,
        last,
        MAX(last) OVER (PARTITION BY layer ORDER BY first, last, cell ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
            AS taken,
        MAX(CASE WHEN layer LIKE 'interval %' THEN last END) OVER (
            ORDER BY CASE WHEN layer LIKE 'interval %' THEN first END NULLS FIRST, last, cell
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS taken_by_any
    FROM {{ table | identifier }}
)
SELECT
    layer,
    COUNT(*) AS cells,
    CAST(SUM(records) AS BIGINT) AS records,
    MAX(size) AS largest,
    CAST(SUM(CAST(size AS DECIMAL(38, 0)) * records) AS DOUBLE) / SUM(records) AS covered,
    BOOL_OR(COALESCE(first <= taken, FALSE)) AS overlapping,
    BOOL_OR(COALESCE(first <= taken_by_any, FALSE)) AS overlapping_others
FROM ordered
GROUP BY layer
ORDER BY layer

-- name: cell_runs
-- The runs of adjacent values that each value of a column of a release covers.
--
-- definition: an interval is one run; a label, a prefix or a set may be several
--
-- takes: cells, table
-- parameter reach: column, the cells of each value, for ways that are no intervals
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH stepped AS (
    SELECT cell, code, code - ROW_NUMBER() OVER (PARTITION BY cell ORDER BY code) AS island
    FROM {{ reach | identifier }}
),
islands AS (
    SELECT cell, MIN(code) AS first, MAX(code) AS last
    FROM stepped
    GROUP BY cell, island
)
SELECT cell, first, last, ROW_NUMBER() OVER (PARTITION BY cell ORDER BY first) AS run
FROM islands
UNION ALL
SELECT cell, first, last, 1
FROM {{ cells | identifier }}
WHERE layer = 'all' OR layer LIKE 'interval %'

-- name: leaf_cells
-- The values of a release that cover each value of the original, for each generalisation in use.
--
-- definition: cells of one way do not overlap, so a value has at most one cell in it; sets may
--
-- takes: leaves, names, cells, table
-- parameter intervals: texts, the ways of generalising that are intervals
-- parameter layers: texts, the other ways
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT DISTINCT cells.layer, names.code, cells.cell
FROM {{ cells | identifier }} AS cells
JOIN {{ names | identifier }} AS names ON names.name = cells.name AND names.layer = cells.layer
WHERE list_contains({{ layers | literal }}, cells.layer)
UNION ALL
SELECT cells.layer, cells.first, cells.cell
FROM {{ cells | identifier }} AS cells
WHERE cells.layer = 'value' AND cells.name IS NULL
UNION ALL
SELECT DISTINCT members.layer, leaves.code, members.cell
FROM (
    SELECT cell, layer, UNNEST(members) AS name
    FROM {{ cells | identifier }}
    WHERE layer = 'set'
) AS members
JOIN {{ leaves | identifier }} AS leaves
    ON leaves.name IS NOT DISTINCT FROM members.name
{% for interval in intervals %}
UNION ALL
SELECT cells.layer, leaves.code, cells.cell
FROM {{ leaves | identifier }} AS leaves
ASOF JOIN (SELECT * FROM {{ cells | identifier }} WHERE layer = {{ interval | literal }}) AS cells
    ON leaves.code >= cells.first
WHERE leaves.code <= cells.last
{% endfor %}

-- name: leaf_reach
-- Whether at most one value of the release covers each value of the original, as in global recoding.
--
-- definition: cells that cover everything count as well
--
-- takes: cells
-- parameter table: column, the cell of each value in each way
WITH pairs AS (
    SELECT COUNT(*) AS pairs, COUNT(DISTINCT code) AS leaves FROM {{ table | identifier }}
),
everything AS (
    SELECT COUNT(*) AS cells FROM {{ cells | identifier }} WHERE layer = 'all'
)
SELECT pairs.pairs = pairs.leaves AND (everything.cells = 0 OR pairs.pairs = 0) AS disjoint
FROM pairs, everything

-- name: cell_spread
-- The values of the original that the values of a column of a release cover, by bits or by range.
--
-- definition: cells with the same bits cover the same values
--
-- takes: table
-- parameter fields: column, the bits of the cells
-- parameter reach: column, the cells of each value in each way of generalising
-- parameter leaves: integer, number of values of the original
-- parameter words: integers, the words that the bits are in
-- parameter by_range: flag, compare values by ranges
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
{% if by_range %}
WITH ranges AS (
    SELECT DISTINCT first, last FROM {{ fields | identifier }} WHERE size > 0
)
SELECT first, last, UNNEST(RANGE(first, last + 1)) AS code
FROM ranges
{% else %}
SELECT DISTINCT {% for word in words %}fields.f{{ word }}, fields.m{{ word }}, {% endfor %}reach.code
FROM {{ fields | identifier }} AS fields
JOIN {{ reach | identifier }} AS reach ON reach.cell = fields.cell
UNION ALL
SELECT {% for word in words %}0, 0, {% endfor %}code
FROM RANGE(1, {{ leaves + 1 }}) AS everything(code)
WHERE EXISTS (SELECT 1 FROM {{ fields | identifier }} WHERE layer = 'all')
{% endif %}

-- name: recoded_values
-- A release with a further column for each column whose values stand for intervals.
--
-- parameter source: relation, the release
-- parameter columns: columns, the further columns
-- parameter cells: expressions, their values
-- parameter table: column, the view that is made
CREATE OR REPLACE TEMP VIEW {{ table | identifier }} AS
SELECT
    *
{% for column in columns %}
    , {{ cells[loop.index0] | expression }} AS {{ column | identifier }}
{% endfor %}
FROM {{ source | relation }}

-- name: values_with_other_counts
-- The number of values that a column has more or less often in a release than in the original.
--
-- parameter original: relation, the original
-- parameter before: column, its column
-- parameter release: relation, the release
-- parameter after: column, its column
WITH counted AS (
    SELECT {{ before | identifier }} AS value, 1 AS difference FROM {{ original | relation }}
    UNION ALL
    SELECT {{ after | identifier }}, -1 FROM {{ release | relation }}
),
others AS (
    SELECT value FROM counted GROUP BY value HAVING SUM(difference) <> 0
)
SELECT COUNT(*) AS "values" FROM others
