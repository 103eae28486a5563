-- utility
-- What a release loses for those who use it: means, correlations and groups, where a cell stands for all that it covers.
--
-- source: our own; the contests of PWS Cup use the cases without a formula
-- runs: finish
--
-- parameter table: column, the table that is made
-- parameter source: relation, the table

-- name: cell_means
-- The mean and the mean square of what each cell of a column of numbers covers, between 0 and 1.
--
-- definition: 0 is the smallest number of the original and 1 its largest; the values that a cell covers count alike;
--   "part" is the mean as a part of the largest number, signs aside
-- missing: left out; so is a cell that covers nothing
--
-- takes: table
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the cells with what they cover
-- parameter reach: column, the cells of each value, those of sets, labels and prefixes among them
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT code, place FROM {{ leaves | identifier }} WHERE place IS NOT NULL AND isfinite(place)
),
scaled AS (
    SELECT
        code,
        CAST(COALESCE((place - MIN(place) OVER ()) / NULLIF(MAX(place) OVER () - MIN(place) OVER (), 0), 0) AS DECIMAL(38, 18)) AS x
    FROM leaves
),
running AS (
    SELECT
        code,
        ROW_NUMBER() OVER (ORDER BY code) AS number,
        x,
        SUM(x) OVER (ORDER BY code) AS sum,
        CAST(CAST(x AS DOUBLE) * CAST(x AS DOUBLE) AS DECIMAL(38, 18)) AS square
    FROM scaled
),
summed AS (
    SELECT code, number, x, sum, square, SUM(square) OVER (ORDER BY code) AS squares
    FROM running
),
-- The ends are columns before the join: two values that are equal are found by their hash, a condition by all pairs.
spans AS (
    SELECT cells.value, cells.first, CASE WHEN cells.layer = 'all' THEN ends.last ELSE cells.last END AS last
    FROM {{ cells | identifier }} AS cells
    CROSS JOIN (SELECT MAX(code) AS last FROM summed) AS ends
    WHERE cells.layer = 'all' OR cells.last - cells.first + 1 = cells.size
),
means AS (
    SELECT
        spans.value,
        CAST(CAST(until.sum - since.sum + since.x AS DOUBLE) / (until.number - since.number + 1) AS DECIMAL(38, 18)) AS mean,
        CAST(CAST(until.squares - since.squares + since.square AS DOUBLE) / (until.number - since.number + 1) AS DECIMAL(38, 18)) AS square
    FROM spans
    JOIN summed AS since ON since.code = spans.first
    JOIN summed AS until ON until.code = spans.last
    UNION ALL
    -- Sets and labels of numbers that are not neighbours.
    SELECT
        cells.value,
        CAST(CAST(SUM(scaled.x) AS DOUBLE) / COUNT(*) AS DECIMAL(38, 18)),
        CAST(CAST(SUM(CAST(CAST(scaled.x AS DOUBLE) * CAST(scaled.x AS DOUBLE) AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS DECIMAL(38, 18))
    FROM {{ cells | identifier }} AS cells
    JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
    JOIN scaled ON scaled.code = reach.code
    WHERE cells.layer <> 'all' AND cells.last - cells.first + 1 > cells.size
    GROUP BY cells.cell, cells.value
),
ends AS (
    SELECT MIN(place) AS low, MAX(place) AS high, NULLIF(GREATEST(ABS(MIN(place)), ABS(MAX(place))), 0) AS largest
    FROM leaves
)
SELECT
    means.value,
    means.mean,
    means.square,
    COALESCE((ends.low + (ends.high - ends.low) * CAST(means.mean AS DOUBLE)) / ends.largest, 0) AS part
FROM means, ends

-- name: cell_correlation
-- The correlation of each pair of columns of numbers, where a cell stands for all that it covers alike.
--
-- definition: Pearson's; what is inside a cell adds to the variance of its column, and nothing to the covariance
-- missing: records with a missing cell in one of the two are left out
-- read: a row for each pair, in the order of "pairs"
--
-- takes: source
-- parameter columns: columns, what is correlated
-- parameter means: texts, the table with the means of the cells of each
-- parameter pairs: integers, the places of two of these columns for each pair
-- parameter before: texts, for each pair the correlation in the original to the last digit, or none
WITH records AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
),
cells AS (
    SELECT
{% for name in means %}
        m{{ loop.index0 }}.mean AS x{{ loop.index0 }},
        m{{ loop.index0 }}.square AS s{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM records
{% for name in means %}
    LEFT JOIN {{ name | identifier }} AS m{{ loop.index0 }} ON m{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
),
-- All sums are of decimals: they are the same in any order.
totals AS (
    SELECT
{% for first, second in pairs %}
        {'n': COUNT(CASE WHEN x{{ first }} IS NOT NULL THEN x{{ second }} END), 'x': SUM(CASE WHEN x{{ second }} IS NOT NULL THEN x{{ first }} END), 'y': SUM(CASE WHEN x{{ first }} IS NOT NULL THEN x{{ second }} END), 'xx': SUM(CASE WHEN x{{ second }} IS NOT NULL THEN s{{ first }} END), 'yy': SUM(CASE WHEN x{{ first }} IS NOT NULL THEN s{{ second }} END), 'xy': SUM(CAST(CAST(x{{ first }} AS DOUBLE) * CAST(x{{ second }} AS DOUBLE) AS DECIMAL(38, 18)))} AS pair{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM cells
),
sums AS (
    SELECT
        UNNEST(RANGE({{ pairs | length }})) AS number,
        UNNEST(CAST({{ before | literal }} AS DOUBLE[])) AS before,
        UNNEST([{% for pair in pairs %}pair{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS pair
    FROM totals
),
doubles AS (
    SELECT
        number,
        before,
        CAST(pair.n AS DOUBLE) AS n,
        CAST(pair.x AS DOUBLE) AS x,
        CAST(pair.y AS DOUBLE) AS y,
        CAST(pair.xx AS DOUBLE) AS xx,
        CAST(pair.yy AS DOUBLE) AS yy,
        CAST(pair.xy AS DOUBLE) AS xy
    FROM sums
),
centred AS (
    SELECT number, before, n * xx - x * x AS a, n * yy - y * y AS b, n * xy - x * y AS ab, n
    FROM doubles
),
correlated AS (
    SELECT
        number,
        before,
        CASE WHEN a > 1e-12 * n * n AND b > 1e-12 * n * n THEN ab / SQRT(a) / SQRT(b) END AS correlation
    FROM centred
)
SELECT correlation, correlation - before AS change
FROM correlated
ORDER BY number

-- name: group_means
-- The means of columns of numbers in each category of another column, where a cell stands for all that it covers alike.
--
-- definition: a record counts in each category that its cell covers, by the share of that in what the cell covers;
--   numbers are taken as a part of the largest, signs aside
-- missing: records with a missing number, and those that name no category, are left out
--
-- takes: source, table
-- parameter category: column, what the categories are of
-- parameter leaves: column, the numbered categories of the original
-- parameter reach: column, the cell of each category in each way of generalising
-- parameter cells: column, the cells of the categories
-- parameter columns: columns, what the means are of
-- parameter numbers: integers, what tells these columns apart
-- parameter means: texts, the table with the means of the cells of each
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ category | identifier }} AS a{% for column in columns %}, {{ column | identifier }} AS b{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
),
-- All sums are of decimals, so records can be added up by cells first.
by_cell AS (
    SELECT
        cells.cell
{% for column in columns %}
        , COUNT(m{{ loop.index0 }}.part) AS n{{ loop.index0 }}
        , SUM(CAST(m{{ loop.index0 }}.part / cells.size AS DECIMAL(38, 18))) AS t{{ loop.index0 }}
{% endfor %}
    FROM records
    JOIN {{ cells | identifier }} AS cells ON (cells.value IS NOT DISTINCT FROM records.a)
{% for name in means %}
    LEFT JOIN {{ name | identifier }} AS m{{ loop.index0 }} ON m{{ loop.index0 }}.value = records.b{{ loop.index0 }}
{% endfor %}
    WHERE cells.size > 0
    GROUP BY cells.cell
),
covered AS (
    SELECT cells.cell, reach.code, cells.size
    FROM {{ cells | identifier }} AS cells
    JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
    UNION ALL
    SELECT cells.cell, leaves.code, cells.size
    FROM {{ cells | identifier }} AS cells, {{ leaves | identifier }} AS leaves
    WHERE cells.layer = 'all'
    UNION ALL
    SELECT cells.cell, leaves.code, cells.size
    FROM {{ cells | identifier }} AS cells
    JOIN {{ leaves | identifier }} AS leaves ON leaves.code BETWEEN cells.first AND cells.last
    WHERE cells.layer LIKE 'interval %'
        AND NOT EXISTS (SELECT 1 FROM {{ reach | identifier }} AS known WHERE known.cell = cells.cell)
),
by_code AS MATERIALIZED (
    SELECT
        covered.code
{% for column in columns %}
        , CAST(SUM(by_cell.n{{ loop.index0 }} * CAST(1.0 / CAST(covered.size AS DOUBLE) AS DECIMAL(38, 18))) AS DOUBLE) AS weight{{ loop.index0 }}
        , CAST(SUM(by_cell.t{{ loop.index0 }}) AS DOUBLE) AS total{{ loop.index0 }}
{% endfor %}
    FROM by_cell
    JOIN covered ON covered.cell = by_cell.cell
    JOIN {{ leaves | identifier }} AS named ON named.code = covered.code AND named.value IS NOT NULL
    GROUP BY covered.code
)
{% for number in numbers %}
SELECT {{ number }} AS number, code, weight{{ loop.index0 }} AS weight, total{{ loop.index0 }} AS total
FROM by_code
WHERE weight{{ loop.index0 }} > 0
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}

-- name: subset_loss
-- How far the means of the categories of a release are from those of the original, by the columns of numbers.
--
-- definition: the mean over the categories g of |mean of g before - after| / max(|before|, |after|); 1 for a category
--   that no record may be in any more
-- source: our own; the contests of PWS Cup use the case without a formula
--
-- parameter original: column, the means of the original
-- parameter release: column, the means of the release
-- parameter numbers: integers, what tells the columns of numbers apart
WITH numbers AS (
    SELECT UNNEST({{ numbers | literal }}) AS number
),
compared AS (
    SELECT
        numbers.number,
        original.total / original.weight AS before,
        release.total / release.weight AS after
    FROM numbers
    LEFT JOIN {{ original | identifier }} AS original ON original.number = numbers.number
    LEFT JOIN {{ release | identifier }} AS release ON release.number = original.number AND release.code = original.code
)
SELECT
    number,
    COUNT(before) AS categories,
    CAST(SUM(CAST(
        CASE
            WHEN before IS NULL THEN 0
            WHEN after IS NULL THEN 1
            WHEN before = after THEN 0
            ELSE ABS(before - after) / GREATEST(ABS(before), ABS(after))
        END AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(before), 0) AS loss
FROM compared
GROUP BY number
ORDER BY number

-- name: mean_losses
-- One figure for each kind of loss of a release: the means over attributes, cross tables, correlations and groups.
--
-- definition: a correlation that there is no more counts as a loss of 1
-- read: null where there is nothing of a kind
--
-- parameter attributes: texts, the total variation of each attribute; numbers are written as text, to the last digit
-- parameter cross_tables: texts, that of each cross table
-- parameter changes: texts, how much each correlation of the original changed
-- parameter subsets: texts, the loss of the means of each attribute in the categories of another
WITH losses AS (
    SELECT 'attributes' AS kind, UNNEST(CAST({{ attributes | literal }} AS DOUBLE[])) AS loss
    UNION ALL
    SELECT 'cross tables', UNNEST(CAST({{ cross_tables | literal }} AS DOUBLE[]))
    UNION ALL
    SELECT 'correlations', UNNEST(CAST({{ changes | literal }} AS DOUBLE[]))
    UNION ALL
    SELECT 'groups', UNNEST(CAST({{ subsets | literal }} AS DOUBLE[]))
),
means AS (
    SELECT kind, CAST(SUM(CAST(COALESCE(ABS(loss), 1) AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS mean
    FROM losses
    GROUP BY kind
)
SELECT
    MAX(CASE WHEN kind = 'attributes' THEN mean END) AS total_variation,
    MAX(CASE WHEN kind = 'cross tables' THEN mean END) AS cross_table_loss,
    MAX(CASE WHEN kind = 'correlations' THEN mean END) AS correlation_loss,
    MAX(CASE WHEN kind = 'groups' THEN mean END) AS subset_loss
FROM means
