-- value_ranks
-- How the records of a column spread over its values, without the values.
--
-- definition: values are ranked by their records, the most frequent first. A rare value is in fewer records than the
--   given number. Shares are of all records, the missing ones too.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter attribute: attribute, the column, with the texts that mean a missing value
-- parameter rare: integer, records; a value in fewer is rare
-- parameter most: integer, ranks that are returned at most
WITH counted AS (
    SELECT value, COUNT(*) AS records
    FROM (SELECT {{ attribute | value }} AS value FROM {{ source | relation }}) AS cells
    GROUP BY value
),
totals AS (
    SELECT
        CAST(SUM(records) AS DOUBLE) AS everything,
        COUNT(value) AS distinct_values,
        COUNT(CASE WHEN value IS NOT NULL AND records < {{ rare | literal }} THEN 1 END) AS rare_values,
        SUM(CASE WHEN value IS NOT NULL AND records < {{ rare | literal }} THEN records END) AS in_rare,
        SUM(CASE WHEN value IS NULL THEN records END) AS missing
    FROM counted
),
ranked AS (
    SELECT records
    FROM counted
    WHERE value IS NOT NULL
    ORDER BY records DESC
    LIMIT {{ most | literal }}
)
SELECT
    distinct_values,
    rare_values,
    COALESCE(in_rare / everything, 0) AS rare_share,
    COALESCE(missing / everything, 0) AS missing_share,
    COALESCE((SELECT LIST(records / everything ORDER BY records DESC) FROM ranked), CAST([] AS DOUBLE[])) AS shares
FROM totals
