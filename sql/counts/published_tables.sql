-- published_tables
-- Tables of counts: their cells, which of these a rule calls unsafe, whether totals add up, and what tables share.
--
-- idea: a cell has a place, its number in each dimension, 0 where it is the total of that dimension. A hidden cell has
--   no amount. A table that is made of records also has the largest contributions to each cell
-- source: Hundepool et al., Statistical Disclosure Control, 2012, chapter 4, for the rules; the rest is our own
-- runs: finish
-- makes: table_cells
--
-- parameter source: relation, the rows of a published table, or records
-- parameter published: integer, the number of the table, from 0
-- parameter dimensions: columns, the dimensions of the table
-- parameter column: column, the counts
-- parameter number: expression, the count as a number
-- parameter value: column or none, what each record contributes; none counts records

-- name: table_cells
-- Creates the table of the cells of all tables, without a row.
CREATE OR REPLACE TEMP TABLE table_cells (
    published INTEGER,
    places INTEGER[],
    keys VARCHAR[],
    amount HUGEINT,
    most HUGEINT,
    contributors BIGINT,
    largest HUGEINT[]
)

-- name: crosstab_rows
-- The rows of a crosstab: the label of the row, that of the column, and the count as it is written.
-- takes: source
-- parameter label: column, the labels of the rows
-- parameter columns: columns, the counts
-- parameter names: texts, the labels of the columns
(
    SELECT label, cell.name AS name, cell.written AS written
    FROM (
        SELECT
            {{ label | identifier }} AS label,
            UNNEST([
                {{ columns | each("{'name': {y.literal}, 'written': CAST({x.identifier} AS VARCHAR)}", names) }}
            ]) AS cell
        FROM {{ source | relation }}
    )
)

-- name: count_of_cell
-- Count that is written as text, with or without commas between thousands, as a number; NULL if it is none.
-- takes: column
TRY_CAST(
    CASE
        WHEN REGEXP_FULL_MATCH(TRIM({{ column | identifier }}), '[0-9]{1,3}(,[0-9]{3})+')
            THEN REPLACE(TRIM({{ column | identifier }}), ',', '')
        ELSE TRIM({{ column | identifier }})
    END AS DECIMAL(38, 6)
)

-- name: unreadable_cells
-- Number of rows of a published table, and of those that hold neither a count nor a mark.
-- takes: source, column, number
-- parameter marks: text, a regular expression of texts that replace a hidden count, in lower case
SELECT
    COUNT(*) AS cells,
    COUNT(*) FILTER (
        WHERE number < 0 OR number <> FLOOR(number)
            OR (number IS NULL AND written IS NOT NULL AND NOT REGEXP_FULL_MATCH(written, {{ marks | literal }}))
    ) AS unreadable,
    COUNT(number) AS numbers
FROM (
    SELECT {{ number | expression }} AS number, TRIM(LOWER(CAST({{ column | identifier }} AS VARCHAR))) AS written
    FROM {{ source | relation }}
)

-- name: cells_of_rows
-- Adds the cells of a published table, which has a row for each.
--
-- missing: a dimension without a value is a total, unless words mark the totals of that dimension
--
-- takes: source, published, dimensions, column, number
-- parameter totals: text, a regular expression of words that name a sum over a column, in lower case
INSERT INTO table_cells
WITH read AS (
    SELECT
{% for dimension in dimensions %}
        {{ dimension | identifier }} AS v{{ loop.index0 }},
        COALESCE(
            REGEXP_FULL_MATCH(TRIM(LOWER(CAST({{ dimension | identifier }} AS VARCHAR))), {{ totals | literal }}), FALSE
        ) AS w{{ loop.index0 }},
{% endfor %}
        {{ number | expression }} AS number,
        TRIM(CAST({{ column | identifier }} AS VARCHAR)) AS written
    FROM {{ source | relation }}
),
marked AS (
    SELECT
        *,
{% for dimension in dimensions %}
        w{{ loop.index0 }} OR (v{{ loop.index0 }} IS NULL AND NOT BOOL_OR(w{{ loop.index0 }}) OVER ())
            AS t{{ loop.index0 }}{{ loop | between }}

{% endfor %}
    FROM read
)
SELECT
    {{ published | literal }} AS published,
-- include: places_of_cells
    CAST(number AS HUGEINT) AS amount,
    CASE
        WHEN REGEXP_FULL_MATCH(written, '[<＜] *[0-9]{1,9}')
            THEN GREATEST(CAST(REGEXP_EXTRACT(written, '[0-9]+') AS HUGEINT) - 1, 0)
        WHEN REGEXP_FULL_MATCH(written, '[≤≦] *[0-9]{1,9}') THEN CAST(REGEXP_EXTRACT(written, '[0-9]+') AS HUGEINT)
    END AS most,
    NULL AS contributors,
    NULL AS largest
FROM marked

-- name: negative_contributions
-- Number of records, and of those with a negative contribution, or without one.
-- takes: source, value
SELECT
    COUNT(*) AS records,
    COUNT(*) FILTER (WHERE amount < 0) AS negative,
    COUNT(*) FILTER (WHERE amount IS NULL) AS missing
FROM (SELECT TRY_CAST({{ value | identifier }} AS DECIMAL(28, 6)) AS amount FROM {{ source | relation }})

-- name: cells_of_records
-- Adds the cells of the table that records make, with all totals.
--
-- missing: a record without a contribution or a contributor is left out; a missing dimension is a value of its own
--
-- takes: source, published, dimensions, value
-- parameter user: column or none, the contributor; none takes each record as one
-- parameter unit: integer, what 1 is in amounts
-- parameter most: integer, the contributions to keep for each cell
INSERT INTO table_cells
WITH records AS (
    SELECT *
    FROM (
        SELECT
            {{ dimensions | each("{x.identifier} AS v{i}") }},
{% if user is not none %}
            {{ user | identifier }} AS contributor,
{% endif %}
{% if value is none %}
            CAST(1 AS HUGEINT) AS amount
{% else %}
            CAST(TRY_CAST({{ value | identifier }} AS DECIMAL(28, 6)) * {{ unit | literal }} AS HUGEINT) AS amount
{% endif %}
        FROM {{ source | relation }}
    )
    WHERE amount IS NOT NULL{% if user is not none %} AND contributor IS NOT NULL{% endif %}

),
contributions AS (
    SELECT
        {{ dimensions | each("v{i}, GROUPING(v{i}) = 1 AS t{i}") }},
{% if user is not none %}
        SUM(amount) AS amount
    FROM records
    GROUP BY CUBE ({{ dimensions | each("v{i}") }}), contributor
),
counted AS (
    SELECT
        {{ dimensions | each("v{i}, t{i}") }},
{% endif %}
        SUM(amount) AS amount,
        COUNT(*) AS contributors,
        MAX(amount, {{ most | literal }}) AS largest
{% if user is not none %}
    FROM contributions
    GROUP BY {{ dimensions | each("v{i}, t{i}") }}
{% else %}
    FROM records
    GROUP BY CUBE ({{ dimensions | each("v{i}") }})
{% endif %}
)
SELECT
    {{ published | literal }} AS published,
-- include: places_of_cells
    amount,
    NULL AS most,
    contributors,
    largest
FROM {% if user is not none %}counted{% else %}contributions{% endif %}


-- name: cells_of_table
-- The cells of a table in the order of their places, with the rules that call them unsafe.
--
-- definition: a cell is small with 1 to threshold - 1 contributors (a published count is that number). It is
--   dominated if its n largest contributions exceed k percent of it, and close if the rest of it after the two
--   largest is below p percent of the largest. A bound must lie as far above the amount as the rule asks for: n
--   largest / k percent - amount, and p percent of the largest - the rest; of a small cell p percent of the amount
-- source: Hundepool et al., Statistical Disclosure Control, 2012, sections 4.2.2 and 4.3.1
-- missing: a hidden cell has no amount, and no rule calls it unsafe
-- read: the largest contributor to a close cell learns the second largest to within p percent
--
-- takes: published
-- parameter threshold: integer, fewer contributors make a cell small
-- parameter n: integer, the largest contributions that may dominate
-- parameter k: number, percent of the cell that they may be at most
-- parameter p: number, percent of the largest contribution that the rest must be at least
-- parameter by_value: flag, the cells are sums of contributions
WITH cells AS (
    SELECT
        places,
        keys,
        amount,
        most,
        contributors,
        CAST(LIST_SUM(largest[1:{{ n | literal }}]) AS DOUBLE) AS top,
        CAST(largest[1] AS DOUBLE) AS first,
        CAST(amount - largest[1] - COALESCE(largest[2], 0) AS DOUBLE) AS rest
    FROM table_cells
    WHERE published = {{ published | literal }}
),
judged AS (
    SELECT
        *,
        COALESCE(contributors, amount) BETWEEN 1 AND {{ threshold | literal }} - 1 AS is_small,
{% if by_value %}
        amount > 0 AND 100 * top > {{ k | literal }} * amount AS is_dominated,
        amount > 0 AND 100 * rest < {{ p | literal }} * first AS is_close
{% else %}
        FALSE AS is_dominated,
        FALSE AS is_close
{% endif %}
    FROM cells
)
SELECT
    places,
    keys,
    amount,
    most,
    contributors,
    COALESCE(is_small, FALSE) AS is_small,
    COALESCE(is_dominated, FALSE) AS is_dominated,
    COALESCE(is_close, FALSE) AS is_close,
    CAST(top / amount AS DOUBLE) AS top_share,
    CAST(CEIL(GREATEST(
        CASE WHEN is_dominated THEN 100 * top / {{ k | literal }} - amount ELSE 0 END,
        CASE WHEN is_close THEN {{ p | literal }} * first / 100 - rest ELSE 0 END,
        CASE WHEN is_small THEN {{ p | literal }} * amount / 100 ELSE 0 END,
        0
    )) AS HUGEINT) AS above,
    COUNT(*) FILTER (WHERE NOT LIST_CONTAINS(places, 0)) OVER () AS cells,
    COUNT(*) FILTER (WHERE LIST_CONTAINS(places, 0)) OVER () AS totals,
    COUNT(*) FILTER (WHERE is_small OR is_dominated OR is_close) OVER () AS unsafe,
    COUNT(*) FILTER (WHERE is_small) OVER () AS small,
    COUNT(*) FILTER (WHERE is_dominated) OVER () AS dominated,
    COUNT(*) FILTER (WHERE is_close) OVER () AS close
FROM judged
ORDER BY places

-- name: check_totals
-- Number of the lines of a table with a total, and of those whose parts add up to another one.
--
-- missing: a line with a hidden cell is not compared, and a part without a row is an empty cell
--
-- takes: published, dimensions
WITH cells AS (
    SELECT places, amount
    FROM table_cells
    WHERE published = {{ published | literal }}
),
lines AS (
{% for dimension in dimensions %}
    SELECT {{ loop.index }} AS dimension, total.places, total.amount, SUM(part.amount) AS parts,
        COUNT(*) FILTER (WHERE part.amount IS NULL) AS hidden
    FROM cells AS total
    JOIN cells AS part
        ON LIST_CONCAT(part.places[1:{{ loop.index0 }}], part.places[{{ loop.index }} + 1:])
            = LIST_CONCAT(total.places[1:{{ loop.index0 }}], total.places[{{ loop.index }} + 1:])
        AND part.places[{{ loop.index }}] > 0
    WHERE total.places[{{ loop.index }}] = 0
    GROUP BY total.places, total.amount{{ loop | between(" UNION ALL") }}

{% endfor %}
)
SELECT COUNT(*) AS lines, COUNT(*) FILTER (WHERE hidden = 0 AND parts <> amount) AS wrong_lines
FROM lines

-- name: margin_counts
-- The counts of a table over some of its dimensions: the total of all others, else the sum of their cells.
-- takes: published
-- parameter shared: integers, the numbers of these dimensions, from 1
-- parameter others: integers, those of all others
(
    SELECT
        shared,
        MIN(places) FILTER (WHERE is_total) AS places,
        COALESCE(
            MIN(amount) FILTER (WHERE is_total),
            CASE
                WHEN COUNT(*) FILTER (WHERE is_part AND amount IS NULL) = 0 THEN SUM(amount) FILTER (WHERE is_part)
            END
        ) AS amount
    FROM (
        SELECT
            [{{ shared | each("keys[{x.literal}]") }}] AS shared,
            {{ others | each("places[{x.literal}] = 0 AND ", between="") }}TRUE AS is_total,
            {{ others | each("places[{x.literal}] > 0 AND ", between="") }}TRUE AS is_part,
            places,
            amount
        FROM table_cells
        WHERE published = {{ published | literal }}
    )
    GROUP BY shared
)

-- name: shared_cells
-- The counts that two tables have of the same people: those that one of them hides, and those that differ little.
--
-- definition: over the dimensions that both have, a count of one table stands for that of the other. If one counts 11
--   and the other 10, one person is in the first alone
-- missing: a sum over a hidden cell is hidden
--
-- parameter first: relation, the counts of a table over the dimensions that both have
-- parameter second: relation, those of the other
-- parameter threshold: integer, a difference below is small
WITH compared AS (
    SELECT
        one.shared,
        one.places AS first_place,
        two.places AS second_place,
        one.amount AS first_count,
        two.amount AS second_count,
        CASE
            WHEN one.places IS NOT NULL AND one.amount IS NULL AND two.amount IS NOT NULL THEN 'first'
            WHEN two.places IS NOT NULL AND two.amount IS NULL AND one.amount IS NOT NULL THEN 'second'
            WHEN ABS(one.amount - two.amount) BETWEEN 1 AND {{ threshold | literal }} - 1 THEN 'difference'
        END AS finding
    FROM {{ first | relation }} AS one
    JOIN {{ second | relation }} AS two ON two.shared = one.shared
)
SELECT
    finding,
    first_place,
    second_place,
    first_count,
    second_count,
    COUNT(*) OVER () AS compared,
    COUNT(*) FILTER (WHERE finding = 'difference') OVER () AS differences,
    COUNT(*) FILTER (WHERE finding IN ('first', 'second')) OVER () AS revealed,
    MIN(CASE WHEN finding = 'difference' THEN ABS(first_count - second_count) END) OVER () AS smallest
FROM compared
QUALIFY finding IS NOT NULL OR ROW_NUMBER() OVER (ORDER BY finding NULLS FIRST, shared) = 1
ORDER BY finding NULLS FIRST, shared
