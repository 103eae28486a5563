-- cell_losses
-- The certainty penalty of each value of a release: the share of its column's values that it covers.
--
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., 2007 (GCP)
-- runs: finish

-- name: release_cell_losses
-- Counts the unchanged, generalised, suppressed and false values of a column of a release, and what is lost.
--
-- definition: the normalized certainty penalty (NCP) of a value of the release. For a number or a moment: the width
--   that it covers, relative to the column's. For anything else, and without a finite width: the share of the column's
--   values that it covers. 0 for one value, 1 for all values and for a value that covers nothing
-- read: "false_form" is the form of the most frequent false cell, by its first 64 characters, with 9 for numbers and
--   a for letters: no value
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006
--
-- parameter leaves: column, the numbered values of the original
-- parameter cells: column, the values of the release with their coverage
-- parameter ranged: flag, the column holds numbers or moments
-- parameter moments: flag, it holds moments: a period covers from the first to the last that there is
WITH leaves AS (
    SELECT * FROM {{ leaves | identifier }}
),
totals AS (
    SELECT COUNT(*) AS leaves, MIN(place) AS low, MAX(place) AS high
    FROM leaves
),
lost AS (
    SELECT
        cells.records,
        cells.name,
        cells.layer,
        cells.size,
        CASE
            WHEN cells.size = 0 OR cells.size = totals.leaves AND totals.leaves > 1 THEN 1
            WHEN cells.size = 1 THEN 0
{% if ranged %}
            WHEN totals.high = totals.low THEN 0
            WHEN NOT ISFINITE(totals.high - totals.low) THEN CAST(cells.size AS DOUBLE) / totals.leaves
            WHEN cells.layer LIKE 'interval %' AND NOT {{ moments | literal }}
                THEN (LEAST(cells.high, totals.high) - GREATEST(cells.low, totals.low)) / (totals.high - totals.low)
            ELSE (COALESCE(until.place, totals.high) - COALESCE(since.place, totals.low)) / (totals.high - totals.low)
{% else %}
            ELSE CAST(cells.size AS DOUBLE) / totals.leaves
{% endif %}
        END AS penalty
    FROM {{ cells | identifier }} AS cells
    CROSS JOIN totals
    LEFT JOIN leaves AS since ON since.code = cells.first
    LEFT JOIN leaves AS until ON until.code = cells.last
)
SELECT
    CAST(SUM(records * CAST(penalty AS DECIMAL(38, 18))) AS DOUBLE) AS ncp,
    CAST(SUM(CASE WHEN layer = 'value' THEN records ELSE 0 END) AS BIGINT) AS unchanged,
    CAST(SUM(CASE WHEN layer = 'all' THEN records ELSE 0 END) AS BIGINT) AS suppressed,
    CAST(SUM(CASE WHEN layer NOT IN ('value', 'all', 'false') THEN records ELSE 0 END) AS BIGINT) AS generalised,
    CAST(SUM(CASE WHEN layer = 'false' THEN records ELSE 0 END) AS BIGINT) AS false_cells,
    CAST(SUM(CASE WHEN name IS NULL THEN records ELSE 0 END) AS BIGINT) AS missing,
    (
        SELECT SUBSTR(
            REGEXP_REPLACE(REGEXP_REPLACE(REGEXP_REPLACE(LEFT(name, 64), '\pN+', '9', 'g'), '[\pL\pM]+', 'a', 'g'),
            '[^-9a +.,;:<>=()/*_~|&{}\[\]]', '?', 'g'), 1, 20)
        FROM lost
        WHERE layer = 'false'
        ORDER BY records DESC, name
        LIMIT 1
    ) AS false_form
FROM lost

-- name: total_penalty
-- The certainty penalty of all values of a release, on a scale from 0 to 1, and the detail left of the original.
--
-- definition: NCP is the sum over the cells of the release. GCP is the mean penalty of a cell of the original, where a
--   record that the release lacks counts as suppressed in every attribute, so that its cells add 1 each: with n
--   records in the original and m in the release, (NCP + attributes * max(0, n - m)) / (attributes * max(n, m)).
--   Detail left is 1 - GCP
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., 2007 (GCP)
--
-- parameter penalties: texts, the penalty of each attribute; numbers are written as text, to the last digit
-- parameter records: integer, of the release
-- parameter before: integer, records of the original
WITH penalties AS (
    SELECT UNNEST(CAST({{ penalties | literal }} AS DOUBLE[])) AS penalty
),
sums AS (
    SELECT
        SUM(CAST(penalty AS DECIMAL(38, 18))) AS ncp,
        (SUM(CAST(penalty AS DECIMAL(38, 18))) + COUNT(*) * {{ [before - records, 0] | max | literal }})
            / CAST(COUNT(*) * {{ [before, records] | max | literal }} AS DOUBLE) AS gcp
    FROM penalties
)
SELECT CAST(ncp AS DOUBLE) AS ncp, CAST(gcp AS DOUBLE) AS gcp, CAST(1 - gcp AS DOUBLE) AS detail_left
FROM sums
