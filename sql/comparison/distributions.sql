-- distributions
-- The distribution of a column before and after, in at most ten bands or by its most frequent values.
--
-- idea: values of the original form parts: numbers and moments bands of a tenth of the records each, categories their
--   most frequent values and the rest, and missing values a part of their own. A cell of a release is spread evenly
--   over the values that it covers.
-- source: our own
-- runs: finish
-- makes: distribution_parts

-- name: distribution_parts
-- The part of each value of a column of the original.
--
-- definition: of ordered values band floor(10 (b + r / 2) / n), for the b records below the value, its own r, and the n
--   records with a value in the order. Other values have their rank by records, ties by their order, up to "most"
-- missing: a part of its own, as are values outside the order, together
--
-- parameter leaves: column, the numbered values of the original
-- parameter ordered: flag, make bands of numbers or moments
-- parameter most: integer, values that are parts of their own
CREATE OR REPLACE TEMP TABLE distribution_parts AS
WITH leaves AS (
    SELECT
        code,
        value,
        name,
        place,
        records,
        value IS NOT NULL AND records > 0{% if ordered %} AND place IS NOT NULL{% endif %} AS known
    FROM {{ leaves | identifier }}
),
ranked AS (
    SELECT
        *,
        SUM(records) OVER (PARTITION BY known ORDER BY code) AS until,
        SUM(records) OVER (PARTITION BY known) AS total,
        ROW_NUMBER() OVER (PARTITION BY known ORDER BY records DESC, code) AS rank
    FROM leaves
)
SELECT
    code,
    name,
    place,
    records,
    CASE
        WHEN value IS NULL THEN 'missing'
{% if ordered %}
        WHEN known THEN 'band'
{% else %}
        WHEN known AND rank <= {{ most | literal }} THEN 'value'
{% endif %}
        ELSE 'others'
    END AS kind,
    CASE
{% if ordered %}
        WHEN known THEN 1 + LEAST(9, CAST((20 * until - 10 * records) // (2 * total) AS BIGINT))
{% else %}
        WHEN known AND rank <= {{ most | literal }} THEN rank
{% endif %}
        ELSE 0
    END AS part,
    CASE WHEN known{% if not ordered %} AND FALSE{% endif %} THEN CAST(until AS DOUBLE) / total END AS below
FROM ranked

-- name: part_shares
-- The shares of the parts before and after.
--
-- definition: shares of all records of each table; the band of a number that is not in the original is the last one
--   that begins at or below it, else the first
-- missing: a cell that covers nothing, and is no number, is in no part
-- read: "share_below" of a band is the share of the original's ordered values up to its end
--
-- parameter cells: column, the values of the release with their coverage
-- parameter reach: column, the cells of each value, those of sets, labels and prefixes among them
-- parameter ordered: flag, the parts are bands
-- parameter with_values: flag, return the first and the last value of each part
WITH parts AS (
    SELECT
        kind,
        part,
        MIN(code) AS first,
        MAX(code) AS last,
        MIN(place) AS place,
        COUNT(*) AS leaves,
        COUNT(CASE WHEN records > 0 THEN 1 END) AS "values",
        CAST(SUM(records) AS DOUBLE) AS records,
        MAX(below) AS share_below{% if with_values %},
        ARG_MIN(name, code) AS first_value,
        ARG_MAX(name, code) AS last_value{% endif %}

    FROM distribution_parts
    GROUP BY kind, part
),
cells AS (
    SELECT cell, layer, size, first, last, records, sort_value FROM {{ cells | identifier }}
),
covered AS (
    SELECT cells.cell, parts.kind, parts.part, parts.leaves AS leaves
    FROM cells CROSS JOIN parts
    WHERE cells.layer = 'all'
{% if ordered %}
    UNION ALL
    SELECT
        cells.cell,
        parts.kind,
        parts.part,
        LEAST(parts.last, cells.last) - GREATEST(parts.first, cells.first) + 1
    FROM cells
    JOIN parts ON parts.first <= cells.last AND parts.last >= cells.first
    WHERE parts.kind = 'band' AND cells.layer LIKE 'interval %'
    UNION ALL
    SELECT
        cells.cell,
        'band',
        COALESCE(MAX(CASE WHEN parts.place <= cells.sort_value THEN parts.part END), MIN(parts.part)),
        1
    FROM cells CROSS JOIN parts
    WHERE parts.kind = 'band' AND cells.layer = 'false' AND cells.sort_value IS NOT NULL
    GROUP BY cells.cell
{% endif %}
    UNION ALL
    SELECT cells.cell, distribution_parts.kind, distribution_parts.part, COUNT(*)
    FROM cells
    JOIN {{ reach | identifier }} AS reach ON reach.cell = cells.cell
    JOIN distribution_parts ON distribution_parts.code = reach.code
    WHERE cells.layer <> 'all' AND cells.layer NOT LIKE 'interval %'
    GROUP BY cells.cell, distribution_parts.kind, distribution_parts.part
),
-- Sums of decimals are the same in any order.
spread AS (
    SELECT
        covered.kind,
        covered.part,
        CAST(SUM(CAST(
            CAST(covered.leaves AS DOUBLE) / GREATEST(cells.size, 1) * cells.records AS DECIMAL(38, 18)
        )) AS DOUBLE) AS records
    FROM covered
    JOIN cells ON cells.cell = covered.cell
    GROUP BY covered.kind, covered.part
)
SELECT
    parts.kind,
    parts.part,
    CAST(parts."values" AS BIGINT) AS "values",
    parts.share_below,
    parts.records / (SELECT SUM(records) FROM parts) AS before,
    LEAST(1, COALESCE(spread.records, 0) / (SELECT SUM(records) FROM cells)) AS after{% if with_values %},
    parts.first_value,
    parts.last_value{% endif %}

FROM parts
LEFT JOIN spread ON spread.kind = parts.kind AND spread.part = parts.part
WHERE parts.records > 0 OR spread.records > 0
ORDER BY parts.kind = 'missing', parts.kind = 'others', parts.part
