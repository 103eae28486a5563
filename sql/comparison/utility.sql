-- utility
-- The loss of utility of a release: means, correlations and group means, generalised values spread evenly.
--
-- source: our own; the contests of PWS Cup use the cases without a formula
-- runs: finish
-- reads: classes
--
-- parameter table: column, the table that is made

-- name: cell_means
-- The mean and the mean square of the values that each cell of a numeric column covers, on [0, 1].
--
-- definition: 0 is the smallest number of the original and 1 its largest; covered values count equally; "part" is the
--   mean relative to the largest absolute number. A number that is not in the original counts as itself, as with
--   noise and group means
-- missing: left out; so is a cell that covers nothing and is no number, and one that is a million times as far
--
-- takes: table
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the values of the release with their coverage
-- parameter reach: column, the cells of each value, those of sets, labels and prefixes among them
-- parameter single_values: flag, each cell is one value of the original and has its number
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH leaves AS (
    SELECT code, place FROM {{ leaves | identifier }} WHERE place IS NOT NULL AND isfinite(place)
),
scaled AS (
    SELECT
        code,
        CAST(COALESCE((place - MIN(place) OVER ()) / NULLIF(MAX(place) OVER () - MIN(place) OVER (), 0), 0)
            AS DECIMAL(38, 18)) AS x
    FROM leaves
),
{% if single_values %}
means AS (
    SELECT
        cells.cell,
        cells.value,
        CAST(CAST(scaled.x AS DOUBLE) AS DECIMAL(38, 18)) AS mean,
        CAST(CAST(CAST(CAST(scaled.x AS DOUBLE) * CAST(scaled.x AS DOUBLE) AS DECIMAL(38, 18)) AS DOUBLE)
            AS DECIMAL(38, 18)) AS square
    FROM {{ cells | identifier }} AS cells
    JOIN scaled ON scaled.code = cells.cell
),
{% else %}
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
    SELECT
        cells.cell,
        cells.value,
        cells.first,
        CASE WHEN cells.layer = 'all' THEN ends.last ELSE cells.last END AS last
    FROM {{ cells | identifier }} AS cells
    CROSS JOIN (SELECT MAX(code) AS last FROM summed) AS ends
    WHERE cells.layer = 'all' OR cells.last - cells.first + 1 = cells.size
),
means AS (
    SELECT
        spans.cell,
        spans.value,
        CAST(CAST(until.sum - since.sum + since.x AS DOUBLE) / (until.number - since.number + 1) AS DECIMAL(38, 18))
            AS mean,
        CAST(CAST(until.squares - since.squares + since.square AS DOUBLE)
            / (until.number - since.number + 1) AS DECIMAL(38, 18)) AS square
    FROM spans
    JOIN summed AS since ON since.code = spans.first
    JOIN summed AS until ON until.code = spans.last
    UNION ALL
    -- Sets and labels of numbers that are not neighbours.
    SELECT
        cells.cell,
        cells.value,
        CAST(CAST(SUM(scaled.x) AS DOUBLE) / COUNT(*) AS DECIMAL(38, 18)),
        CAST(CAST(SUM(CAST(CAST(scaled.x AS DOUBLE) * CAST(scaled.x AS DOUBLE) AS DECIMAL(38, 18))) AS DOUBLE)
            / COUNT(*) AS DECIMAL(38, 18))
    FROM {{ cells | identifier }} AS cells
    JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
    JOIN scaled ON scaled.code = reach.code
    WHERE cells.layer <> 'all' AND cells.last - cells.first + 1 > cells.size
    GROUP BY cells.cell, cells.value
),
{% endif %}
ends AS (
    SELECT MIN(place) AS low, MAX(place) AS high, NULLIF(GREATEST(ABS(MIN(place)), ABS(MAX(place))), 0) AS largest
    FROM leaves
)
SELECT
    means.cell,
    means.value,
    means.mean,
    means.square,
    COALESCE((ends.low + (ends.high - ends.low) * CAST(means.mean AS DOUBLE)) / ends.largest, 0) AS part
FROM means, ends
{% if not single_values %}
UNION ALL
SELECT
    cell,
    value,
    CAST(CASE WHEN ABS(x) < 1e6 THEN x END AS DECIMAL(38, 18)),
    CAST(CASE WHEN ABS(x) < 1e6 THEN x * x END AS DECIMAL(38, 18)),
    CASE WHEN ABS(part) < 1e6 THEN part END
FROM (
    SELECT
        cells.cell,
        cells.value,
        (cells.sort_value - ends.low) / NULLIF(ends.high - ends.low, 0) AS x,
        cells.sort_value / COALESCE(ends.largest, 1) AS part
    FROM {{ cells | identifier }} AS cells, ends
    WHERE cells.layer = 'false' AND isfinite(cells.sort_value)
) AS others
{% endif %}

-- name: cell_correlation
-- The correlation of each pair of numeric columns, generalised values spread evenly.
--
-- definition: Pearson's correlation; the spread within a value of the release adds to the variance of its column, and
--   not to the covariance
-- missing: records with a missing cell in one of the two are left out
-- read: a row for each pair, in the order of "pairs"
--
-- parameter numbers: integers, the numbers of these columns
-- parameter means: texts, the table with the means of the cells of each
-- parameter pairs: integers, the indexes of two of these columns for each pair
-- parameter before: texts, for each pair the correlation in the original to the last digit, or none
WITH cells AS (
    SELECT
        classes.records,
{% for name in means %}
        m{{ loop.index0 }}.mean AS x{{ loop.index0 }},
        m{{ loop.index0 }}.square AS s{{ loop.index0 }}{{ loop | between }}
{% endfor %}
    FROM classes
{% for name in means %}
    LEFT JOIN {{ name | identifier }} AS m{{ loop.index0 }}
        ON m{{ loop.index0 }}.cell = classes.cell{{ numbers[loop.index0] }} AND m{{ loop.index0 }}.value IS NOT NULL
{% endfor %}
),
-- All sums are of decimals: they are the same in any order.
totals AS (
    SELECT
{% for first, second in pairs %}
        {'n': SUM(CASE WHEN x{{ first }} IS NOT NULL AND x{{ second }} IS NOT NULL THEN records END),
            'x': SUM(CASE WHEN x{{ second }} IS NOT NULL THEN x{{ first }} * records END),
            'y': SUM(CASE WHEN x{{ first }} IS NOT NULL THEN x{{ second }} * records END),
            'xx': SUM(CASE WHEN x{{ second }} IS NOT NULL THEN s{{ first }} * records END),
            'yy': SUM(CASE WHEN x{{ first }} IS NOT NULL THEN s{{ second }} * records END),
            'xy': SUM(CAST(CAST(x{{ first }} AS DOUBLE) * CAST(x{{ second }} AS DOUBLE) AS DECIMAL(38, 18))
                * records)}
            AS pair{{ loop.index0 }}{{ loop | between }}
{% endfor %}
    FROM cells
),
sums AS (
    SELECT
        UNNEST(RANGE({{ pairs | length }})) AS number,
        UNNEST(CAST({{ before | literal }} AS DOUBLE[])) AS before,
        UNNEST([{{ pairs | each("pair{i}") }}]) AS pair
    FROM totals
),
doubles AS (
    SELECT
        number,
        before,
        CAST(COALESCE(pair.n, 0) AS DOUBLE) AS n,
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
-- The means of numeric columns within the categories of other columns, generalised values spread evenly.
--
-- definition: a record counts in each category that its value covers, by the share of the category in what the value
--   covers; numbers are relative to the largest absolute number
-- missing: records with a missing number, and those that name no category, are left out
--
-- takes: table
-- parameter columns: integers, the numbers of the numeric columns
-- parameter numbers: integers, the numbers that these have in the table
-- parameter means: texts, the table with the means of the cells of each
-- parameter categories: integers, the numbers of the categorical columns
-- parameter single_values: flag, each cell of these is one value; else it can be none or several
-- parameter leaves: texts, for each of them the table with the numbered categories of the original
-- parameter cells: texts, that with the cells of the categories
-- parameter reach: texts, that with the cell of each category in each way of generalising
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH known AS (
    SELECT
        classes.records,
{% for category in categories %}
        classes.cell{{ category }} AS cell{{ loop.index0 }}, classes.s{{ category }} AS size{{ loop.index0 }},
{% endfor %}
{% for name in means %}
        m{{ loop.index0 }}.part AS part{{ loop.index0 }}{{ loop | between }}
{% endfor %}
    FROM classes
{% for name in means %}
    LEFT JOIN {{ name | identifier }} AS m{{ loop.index0 }}
        ON m{{ loop.index0 }}.cell = classes.cell{{ columns[loop.index0] }} AND m{{ loop.index0 }}.value IS NOT NULL
{% endfor %}
),
-- All sums are of decimals, so classes can be added up first: by cells, or by those of all categories at once.
{% if single_values %}
combined AS (
    SELECT
{% for column in columns %}
        SUM(CASE WHEN part{{ loop.index0 }} IS NOT NULL THEN records END) AS n{{ loop.index0 }},
        SUM(CAST(part{{ loop.index0 }} AS DECIMAL(38, 18)) * records) AS t{{ loop.index0 }},
{% endfor %}
        {{ categories | each("cell{i}") }}
    FROM known
    GROUP BY {{ categories | each("cell{i}") }}
),
{% endif %}
by_cell AS (
{% for category in categories %}
{% set place = loop.index0 %}
    SELECT
        {{ category }} AS category,
        cell{{ place }} AS cell
{% for column in columns %}
{% if single_values %}
        , SUM(n{{ loop.index0 }}) AS n{{ loop.index0 }}
        , SUM(t{{ loop.index0 }}) AS t{{ loop.index0 }}
{% else %}
        , SUM(CASE WHEN part{{ loop.index0 }} IS NOT NULL THEN records END) AS n{{ loop.index0 }}
        , SUM(CAST(part{{ loop.index0 }} / size{{ place }} AS DECIMAL(38, 18)) * records) AS t{{ loop.index0 }}
{% endif %}
{% endfor %}
{% if single_values %}
    FROM combined
{% else %}
    FROM known
    WHERE size{{ place }} > 0
{% endif %}
    GROUP BY cell{{ place }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
cells AS (
{% for name in cells %}
    SELECT {{ categories[loop.index0] }} AS category, cell, layer, size, first, last FROM {{ name | identifier }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
leaves AS (
{% for name in leaves %}
    SELECT {{ categories[loop.index0] }} AS category, code, value IS NOT NULL AS named FROM {{ name | identifier }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
reach AS (
{% for name in reach %}
    SELECT {{ categories[loop.index0] }} AS category, cell, code FROM {{ name | identifier }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
covered AS (
    SELECT cells.category, cells.cell, reach.code, cells.size
    FROM cells
    JOIN reach ON reach.category = cells.category AND reach.cell = cells.cell
    UNION ALL
    SELECT cells.category, cells.cell, leaves.code, cells.size
    FROM cells
    JOIN leaves ON leaves.category = cells.category
    WHERE cells.layer = 'all'
    UNION ALL
    SELECT cells.category, cells.cell, leaves.code, cells.size
    FROM cells
    JOIN leaves ON leaves.category = cells.category AND leaves.code BETWEEN cells.first AND cells.last
    WHERE cells.layer LIKE 'interval %'
        AND NOT EXISTS (SELECT 1 FROM reach AS other WHERE other.category = cells.category AND other.cell = cells.cell)
),
by_code AS (
    SELECT
        covered.category,
        covered.code
{% for column in columns %}
        , CAST(SUM(by_cell.n{{ loop.index0 }} * CAST(1.0 / CAST(covered.size AS DOUBLE) AS DECIMAL(38, 18))) AS DOUBLE)
            AS weight{{ loop.index0 }}
        , CAST(SUM(by_cell.t{{ loop.index0 }}) AS DOUBLE) AS total{{ loop.index0 }}
{% endfor %}
    FROM by_cell
    JOIN covered ON covered.category = by_cell.category AND covered.cell = by_cell.cell
    JOIN leaves ON leaves.category = covered.category AND leaves.code = covered.code AND leaves.named
    GROUP BY covered.category, covered.code
),
told AS (
    SELECT
        category,
        code,
        UNNEST({{ numbers | literal }}) AS number,
        UNNEST([{{ numbers | each("weight{i}") }}]) AS weight,
        UNNEST([{{ numbers | each("total{i}") }}]) AS total
    FROM by_code
)
SELECT category, number, code, weight, total
FROM told
WHERE weight > 0

-- name: subset_loss
-- The distance between the group means of a release and of the original, for each pair of columns.
--
-- definition: the mean over the categories g of |mean of g before - after| / max(|before|, |after|); 1 for a category
--   that no record may be in any more
-- source: our own; the contests of PWS Cup use the case without a formula
--
-- parameter original: column, the means of the original
-- parameter release: column, the means of the release
-- parameter categories: integers, the numbers of the categorical columns
-- parameter numbers: integers, the numbers of the numeric columns
WITH pairs AS (
    SELECT categories.category, numbers.number
    FROM (SELECT UNNEST({{ categories | literal }}) AS category) AS categories
    CROSS JOIN (SELECT UNNEST({{ numbers | literal }}) AS number) AS numbers
),
compared AS (
    SELECT
        pairs.category,
        pairs.number,
        original.total / original.weight AS before,
        release.total / release.weight AS after
    FROM pairs
    LEFT JOIN {{ original | identifier }} AS original
        ON original.category = pairs.category AND original.number = pairs.number
    LEFT JOIN {{ release | identifier }} AS release
        ON release.category = original.category AND release.number = original.number AND release.code = original.code
)
SELECT
    category,
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
GROUP BY category, number
ORDER BY category, number

-- name: mean_losses
-- The figure of each kind of loss: the means over attributes, cross tables, correlations and groups.
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
    ANY_VALUE(CASE WHEN kind = 'attributes' THEN mean END) AS total_variation,
    ANY_VALUE(CASE WHEN kind = 'cross tables' THEN mean END) AS cross_table_loss,
    ANY_VALUE(CASE WHEN kind = 'correlations' THEN mean END) AS correlation_loss,
    ANY_VALUE(CASE WHEN kind = 'groups' THEN mean END) AS subset_loss
FROM means
